#pragma once

#include "devices/common/pool/pooling.h"
#include "devices/cuda/kernels/pool_shape.h"
#include "devices/kernel_registry.h"

namespace troupe {

// Parts of register_cuda_pool_kernels, a source each.

void register_cuda_pool_max(KernelRegistry* registry);
void register_cuda_pool_argmax(KernelRegistry* registry);

/// A problem as kernels are told it.
PoolShape pool_shape(const PoolProblem& p);

/// "Expected WHAT shape to be [..], but got [..]" when it is not.
absl::Status check_shape(const char* what, const Shape& expected, const Shape& actual);

}  // namespace troupe
