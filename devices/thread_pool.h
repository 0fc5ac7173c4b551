#pragma once

#include <functional>

namespace troupe {

/// Threads of an application's own, lent to runs that name them (RunOptions). The application implements it and keeps it until those
/// runs have ended. Thread-safe.
class ThreadPool {
 public:
  virtual ~ThreadPool() = default;
  virtual int num_threads() const = 0;
  /// Calls `job` once, now or later, on any thread: kernels of a run wait there until it does. A job that is still there when its run
  /// has ended does nothing. When this throws, the runtime does the job itself.
  virtual void schedule(std::function<void()> job) = 0;
};

}  // namespace troupe
