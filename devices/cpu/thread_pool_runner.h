#pragma once

#include "devices/device.h"
#include "devices/thread_pool.h"

namespace troupe {

/// Splits loops over an application's threads. The caller takes blocks like everyone else and waits only for those that are being worked on,
/// so that threads that are busy or late hold nobody up. What a block throws is the caller's.
class ThreadPoolRunner final : public ParallelRunner {
 public:
  /// `threads` must outlive it.
  explicit ThreadPoolRunner(ThreadPool* threads) : threads_(threads) {}

  int num_threads() const override;
  void parallel_for(int64_t total, int64_t cost_per_unit,
                    absl::FunctionRef<void(int64_t begin, int64_t end)> fn) override;

 private:
  ThreadPool* const threads_;
};

}  // namespace troupe
