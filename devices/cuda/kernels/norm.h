#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Biases, batch and local response normalisation and L2Loss on GPUs.
void register_cuda_norm_kernels(KernelRegistry* registry);

}  // namespace troupe
