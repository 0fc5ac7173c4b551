#pragma once

#include <functional>
#include <string>

#include "devices/kernel_registry.h"

namespace troupe {

/// Runs the job on a thread that may wait for functions: the threads of steps, which run these functions, may
/// not. Threads are made when all are busy, and end when there has been nothing to do for a while.
void run_waiting(std::function<void()> job);

/// Registers a kernel that waits: `fn` runs by `run_waiting`.
void add_waiting_kernel(KernelRegistry* registry, const std::string& op, KernelFn fn);

}  // namespace troupe
