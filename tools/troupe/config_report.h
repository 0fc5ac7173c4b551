#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace troupe {

/// What a ConfigProto, in a file as text or as bytes, does here: a line for each field that it sets, "path = value  use: sentence".
/// `all`: a line for each field that there is, of RunOptions and CallableOptions, too. NotFound; InvalidArgument when it is no ConfigProto.
absl::StatusOr<std::string> config_report(const std::string& path, bool all);

}  // namespace troupe
