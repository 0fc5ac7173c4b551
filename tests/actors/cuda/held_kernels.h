#pragma once

#include <atomic>

#include "devices/kernel_registry.h"
#include "graph/ops/op_registry.h"

namespace troupe::test {

/// "TestGpuHold": y = x, when the GPU has got there and the test lets it go on.
void add_hold_op(OpRegistry* ops);
void add_hold_kernel(KernelRegistry* kernels);

/// How many such kernels a GPU has begun, and whether they may go on. Without leave they do so after a while.
inline std::atomic<int> gpu_holds{0};
inline std::atomic<bool> gpu_may_go_on{false};

}  // namespace troupe::test
