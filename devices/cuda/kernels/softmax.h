#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Softmax, cross entropies and InTopKV2 on GPUs.
void register_cuda_softmax_kernels(KernelRegistry* registry);

}  // namespace troupe
