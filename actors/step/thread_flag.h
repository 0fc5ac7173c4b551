#pragma once

#include <utility>

namespace troupe {

/// Something that holds for a thread while one of its `What`, which derives from this, lives there; they may nest.
template <class What>
class ThreadFlag {
 public:
  ThreadFlag() : before_(std::exchange(active_, true)) {}
  ~ThreadFlag() { active_ = before_; }
  ThreadFlag(const ThreadFlag&) = delete;

  /// Whether one lives on the calling thread.
  static bool active() { return active_; }

 private:
  static inline thread_local bool active_ = false;
  const bool before_;
};

}  // namespace troupe
