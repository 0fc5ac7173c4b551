#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "devices/cpu/parallel_loop.h"
#include "devices/device.h"

namespace troupe {

/// The intra-op threads of a runtime: `num_threads` - 1 helpers beside whoever calls parallel_for. Helpers start with
/// the first loop that is worth splitting and sleep between loops. The caller takes blocks like everyone else and only
/// waits for blocks that are already being worked on, so that nested and concurrent loops cannot deadlock. What a block throws
/// ends the loop: blocks that have not begun are left out, and parallel_for throws the first once all others have ended.
/// Loops of a thread to which others' are lent (LentRunner) go there.
class IntraOpPool final : public ParallelRunner {
 public:
  /// 0: as many threads as cores.
  explicit IntraOpPool(int num_threads);
  ~IntraOpPool() override;

  int num_threads() const override { return num_threads_; }
  void parallel_for(int64_t total, int64_t cost_per_unit,
                    absl::FunctionRef<void(int64_t begin, int64_t end)> fn) override;

 private:
  void start_helpers();
  void help();

  const int num_threads_;
  std::mutex mu_;
  std::condition_variable work_;
  // Guarded by mu_.
  std::deque<std::shared_ptr<ParallelLoop>> loops_;
  std::vector<std::thread> helpers_;
  bool stopping_ = false;
};

}  // namespace troupe
