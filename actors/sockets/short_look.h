#pragma once

#include <chrono>

#include "absl/functional/function_ref.h"

namespace troupe {

/// A thread that waits for a word of another process may look for it for a while before it sleeps: to sleep, and be waked on a core that has gone to sleep,
/// costs more than most words take. When words come too late for that it looks less and less often. One thread's.
class ShortLook {
 public:
  /// How long it looks: about what a sleep and two wakes cost.
  static constexpr std::chrono::microseconds kLook{60};

  /// Calls `has_come` until it is true, or for kLook; true when it was. False, at once, when the last tries were in vain, but for one of many.
  bool look(absl::FunctionRef<bool()> has_come);

 private:
  static constexpr int kMostSkipped = 63;

  /// After the last failure; how many of them are left.
  int skipped_ = 0;
  int left_ = 0;
};

}  // namespace troupe
