#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "actors/console/console.h"

namespace troupe {

/// The console that the option --console asks for, "PORT" or "HOST:PORT"; its address goes to standard error. InvalidArgument when it is neither,
/// and what Console::start says.
absl::StatusOr<std::unique_ptr<Console>> start_console(Runtime& runtime, const std::string& where);

}  // namespace troupe
