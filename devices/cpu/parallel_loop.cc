#include "devices/cpu/parallel_loop.h"

#include <algorithm>
#include <utility>

namespace troupe {
namespace {

/// Blocks smaller than this are not worth waking a thread for.
constexpr int64_t kMinBlockNanos = 20'000;
/// A few blocks per thread even out threads that are slow or late.
constexpr int64_t kBlocksPerThread = 4;

}  // namespace

int64_t ParallelLoop::block_size(int64_t total, int64_t cost_per_unit, int num_threads) {
  const int64_t min_block = std::max<int64_t>(1, kMinBlockNanos / std::max<int64_t>(1, cost_per_unit));
  if (num_threads <= 1 || total <= min_block) return total;
  const int64_t blocks = num_threads * kBlocksPerThread;
  return std::min(total, std::max(min_block, (total + blocks - 1) / blocks));
}

void ParallelLoop::work() {
  while (true) {
    const int64_t begin = next_.fetch_add(block_, std::memory_order_relaxed);
    if (begin >= total_) return;
    const int64_t end = std::min(total_, begin + block_);
    if (!failed_.load(std::memory_order_relaxed)) call(begin, end);
    if (done_.fetch_add(end - begin, std::memory_order_acq_rel) + (end - begin) == total_) {
      std::lock_guard lock(mu_);
      finished_.notify_all();
    }
  }
}

void ParallelLoop::call(int64_t begin, int64_t end) {
  try {
    fn_(begin, end);
  } catch (...) {
    std::lock_guard lock(mu_);
    if (!failed_.exchange(true)) thrown_ = std::current_exception();
  }
}

void ParallelLoop::finish() {
  std::unique_lock lock(mu_);
  finished_.wait(lock, [&] { return done_.load(std::memory_order_acquire) == total_; });
  // Taken out: a helper that lets go of the loop last has nothing to do with it.
  std::exception_ptr thrown = std::exchange(thrown_, nullptr);
  lock.unlock();
  if (thrown != nullptr) std::rethrow_exception(std::move(thrown));
}

}  // namespace troupe
