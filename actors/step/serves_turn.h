#pragma once

#include <utility>

namespace troupe {

/// While one lives, its thread serves a step of which it waits for a part only: what is expensive goes to other threads, even when there is
/// nothing else to do.
class ServesTurn {
 public:
  ServesTurn() : before_(std::exchange(active_, true)) {}
  ~ServesTurn() { active_ = before_; }
  ServesTurn(const ServesTurn&) = delete;

  static bool active() { return active_; }

 private:
  static inline thread_local bool active_ = false;
  const bool before_;
};

}  // namespace troupe
