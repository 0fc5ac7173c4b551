#include "actors/sockets/short_look.h"

#include <algorithm>

namespace troupe {

bool ShortLook::look(absl::FunctionRef<bool()> has_come) {
  if (left_ > 0) {
    --left_;
    return false;
  }
  const auto until = std::chrono::steady_clock::now() + kLook;
  do {
    if (has_come()) {
      skipped_ = 0;
      return true;
    }
  } while (std::chrono::steady_clock::now() < until);
  left_ = skipped_ = std::min(2 * skipped_ + 1, kMostSkipped);
  return false;
}

}  // namespace troupe
