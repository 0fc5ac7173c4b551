#include "devices/cpu/thread_pool_runner.h"

#include <algorithm>
#include <memory>

#include "devices/cpu/parallel_loop.h"
#include "devices/flush_denormals.h"
#include "devices/lent_runner.h"

namespace troupe {

int ThreadPoolRunner::num_threads() const { return std::max(1, threads_->num_threads()); }

void ThreadPoolRunner::parallel_for(int64_t total, int64_t cost_per_unit,
                                    absl::FunctionRef<void(int64_t begin, int64_t end)> fn) {
  if (total <= 0) return;
  const int workers = num_threads() + 1;
  const int64_t block = ParallelLoop::block_size(total, cost_per_unit, workers);
  if (block >= total) return fn(0, total);
  auto loop = std::make_shared<ParallelLoop>(fn, total, block);
  const int64_t helpers = std::min<int64_t>(workers, loop->num_blocks()) - 1;
  try {
    for (int64_t i = 0; i < helpers; ++i) {
      threads_->schedule([this, loop] {
        const FlushDenormals flush;
        // Loops inside the loop, which the caller waits for with this object.
        const LentRunner nested(this);
        loop->work();
      });
    }
  } catch (...) {
    // The caller does what nobody helps with.
  }
  loop->work();
  loop->finish();
}

}  // namespace troupe
