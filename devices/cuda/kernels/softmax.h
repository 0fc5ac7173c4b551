#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Softmax and cross entropies on GPUs.
void register_cuda_softmax_kernels(KernelRegistry* registry);

}  // namespace troupe
