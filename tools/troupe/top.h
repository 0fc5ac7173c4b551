#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace troupe {

/// What `troupe top` shows of one answer of a console (/api/status), as lines of text. Keeps what it needs for rates.
class Top {
 public:
  /// InvalidArgument when it is no answer of a console. At most `max_steps` running steps, the oldest first.
  absl::StatusOr<std::string> show(const std::string& status_json, size_t max_steps);

 private:
  int64_t at_us_ = 0;
  int64_t runs_ = 0;
};

}  // namespace troupe
