#pragma once

#include <string>

#include "absl/status/status.h"

namespace troupe {

/// "INVALID_ARGUMENT: ..." on one line: line breaks and tabs of the message become blanks.
std::string one_line(const absl::Status& status);

/// Prints "troupe COMMAND: message" on standard error; the exit code of a command that failed.
int fail(const std::string& command, const absl::Status& status);

}  // namespace troupe
