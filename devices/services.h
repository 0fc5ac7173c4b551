#pragma once

#include "devices/blocking_pool.h"
#include "devices/timer.h"

namespace troupe {

/// What kernels of all steps share: threads that may wait, and a clock. A Runtime has its own, and ends them when it is
/// shut down.
struct Services {
  explicit Services(int max_threads = BlockingPool::kMaxThreads) : blocking(max_threads) {}

  BlockingPool blocking;
  Timer timer;

  /// Those of kernels that run outside of any session, as tests do. Never destroyed.
  static Services& outside_sessions();
};

}  // namespace troupe
