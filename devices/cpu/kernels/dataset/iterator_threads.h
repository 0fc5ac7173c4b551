#pragma once

#include <string>

#include "devices/kernel_registry.h"

namespace troupe {

/// Registers a kernel that waits for functions: `fn` runs on a thread that may (BlockingPool), since those of steps, which run
/// these functions, may not. Without such a thread the kernel fails: ResourceExhausted.
void add_waiting_kernel(KernelRegistry* registry, const std::string& op, KernelFn fn);

}  // namespace troupe
