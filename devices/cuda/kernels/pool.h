#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Pooling over images and volumes on GPUs, and its gradients.
void register_cuda_pool_kernels(KernelRegistry* registry);

}  // namespace troupe
