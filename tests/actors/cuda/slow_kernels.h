#pragma once

#include "graph/ops/op_registry.h"

#include "devices/kernel_registry.h"

namespace troupe::test {

/// "TestSlow": y = x, after so many milliseconds of a GPU's time (attr `millis`).
void add_slow_op(OpRegistry* ops);
void add_slow_kernel(KernelRegistry* kernels);

}  // namespace troupe::test
