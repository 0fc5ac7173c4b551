#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Element-wise operations on GPUs, casts, selections and fused chains.
void register_cuda_cwise_kernels(KernelRegistry* registry);

}  // namespace troupe
