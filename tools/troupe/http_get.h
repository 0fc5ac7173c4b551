#pragma once

#include <chrono>
#include <string>

#include "absl/status/statusor.h"

namespace troupe {

/// The body that an HTTP server answers to "GET path" with. `server` is "HOST:PORT", ":PORT" or "PORT" of this machine, with or without
/// "http://". InvalidArgument when it is none of these; Unavailable when nobody answers in time, or with another code than 200.
absl::StatusOr<std::string> http_get(const std::string& server, const std::string& path,
                                     std::chrono::milliseconds patience);

}  // namespace troupe
