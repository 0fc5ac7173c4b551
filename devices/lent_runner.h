#pragma once

#include <utility>

#include "devices/device.h"

namespace troupe {

/// While it lives, loops that kernels on this thread split over the intra-op threads of a runtime go to `runner` instead. Null: as before.
class LentRunner {
 public:
  explicit LentRunner(ParallelRunner* runner)
      : before_(runner != nullptr ? std::exchange(of_thread_, runner) : of_thread_) {}
  ~LentRunner() { of_thread_ = before_; }
  LentRunner(const LentRunner&) = delete;

  /// Null: none is lent.
  static ParallelRunner* of_this_thread() { return of_thread_; }

 private:
  static inline thread_local ParallelRunner* of_thread_ = nullptr;
  ParallelRunner* const before_;
};

}  // namespace troupe
