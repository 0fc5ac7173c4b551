#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace troupe {

/// For who resets sessions at somebody's request: InvalidArgument for names that clients' graphs cannot have: they are the runtime's own.
inline absl::Status check_reset_containers(const std::vector<std::string>& containers) {
  for (const std::string& c : containers) {
    if (c.empty() || c[0] == '_')
      return absl::InvalidArgumentError(absl::StrCat("Reset: '", c, "' is no name of a container"));
  }
  return absl::OkStatus();
}

}  // namespace troupe
