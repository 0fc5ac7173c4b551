#include "devices/cpu/intra_op_pool.h"

#include <algorithm>
#include <system_error>

#include "devices/flush_denormals.h"
#include "devices/lent_runner.h"

namespace troupe {

IntraOpPool::IntraOpPool(int num_threads)
    : num_threads_(num_threads > 0 ? num_threads : std::max(1u, std::thread::hardware_concurrency())) {}

IntraOpPool::~IntraOpPool() {
  {
    std::lock_guard lock(mu_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& t : helpers_) t.join();
}

void IntraOpPool::start_helpers() {
  try {
    while (static_cast<int>(helpers_.size()) < num_threads_ - 1) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    // No more threads: those that are here, if any, and the caller do all.
  }
}

void IntraOpPool::help() {
  const FlushDenormals flush;
  std::unique_lock lock(mu_);
  while (true) {
    work_.wait(lock, [&] { return stopping_ || !loops_.empty(); });
    if (stopping_) return;
    std::shared_ptr<ParallelLoop> loop = loops_.front();
    if (loop->exhausted()) {
      loops_.pop_front();
      continue;
    }
    lock.unlock();
    loop->work();
    loop.reset();
    lock.lock();
  }
}

void IntraOpPool::parallel_for(int64_t total, int64_t cost_per_unit,
                               absl::FunctionRef<void(int64_t begin, int64_t end)> fn) {
  if (total <= 0) return;
  if (ParallelRunner* lent = LentRunner::of_this_thread())
    return lent->parallel_for(total, cost_per_unit, fn);
  const int64_t block = ParallelLoop::block_size(total, cost_per_unit, num_threads_);
  if (block >= total) return fn(0, total);
  auto loop = std::make_shared<ParallelLoop>(fn, total, block);
  {
    std::lock_guard lock(mu_);
    if (helpers_.empty()) start_helpers();
    loops_.push_back(loop);
  }
  const int64_t extra = std::min<int64_t>(num_threads_, loop->num_blocks()) - 1;
  for (int64_t i = 0; i < extra; ++i) work_.notify_one();
  loop->work();
  {
    std::lock_guard lock(mu_);
    auto it = std::find(loops_.begin(), loops_.end(), loop);
    if (it != loops_.end()) loops_.erase(it);
  }
  loop->finish();
}

}  // namespace troupe
