#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>

#include "absl/functional/function_ref.h"

namespace troupe {

/// One loop that several threads work on in blocks. Shared by them; `fn` is the caller's, who stays in `finish` until nobody is inside it.
/// What a block throws ends the loop: blocks that have not begun are left out.
class ParallelLoop {
 public:
  using Body = absl::FunctionRef<void(int64_t begin, int64_t end)>;

  /// How many of `total` units one of these threads takes at a time; `total`, when the loop is not worth splitting. `cost_per_unit` in ns.
  static int64_t block_size(int64_t total, int64_t cost_per_unit, int num_threads);

  ParallelLoop(Body fn, int64_t total, int64_t block) : fn_(fn), total_(total), block_(block) {}
  int64_t num_blocks() const { return (total_ + block_ - 1) / block_; }

  /// Takes blocks until there are none. From any thread, also after the loop's end: nothing is left then.
  void work();
  /// Whether all blocks have been taken.
  bool exhausted() const { return next_.load(std::memory_order_relaxed) >= total_; }
  /// The caller's, after `work`: waits for blocks that others have taken, and throws what the first one threw.
  void finish();

 private:
  void call(int64_t begin, int64_t end);

  const Body fn_;
  const int64_t total_;
  const int64_t block_;
  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> done_{0};
  std::atomic<bool> failed_{false};
  std::mutex mu_;
  std::condition_variable finished_;
  std::exception_ptr thrown_;  // guarded by mu_
};

}  // namespace troupe
