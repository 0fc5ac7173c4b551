#pragma once

#include <utility>

namespace troupe {

/// While one lives, jobs that its thread hands to units and pools go before those that wait there. Calls of
/// functions and their returns do, so that calls run depth first: a recursion that branches then holds as
/// many steps as it is deep, not as many as it has leaves.
class GoFirst {
 public:
  GoFirst() : before_(std::exchange(active_, true)) {}
  ~GoFirst() { active_ = before_; }
  GoFirst(const GoFirst&) = delete;

  static bool active() { return active_; }

 private:
  static inline thread_local bool active_ = false;
  const bool before_;
};

}  // namespace troupe
