#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Convolutions of images and volumes on GPUs, their gradients and fused forms.
void register_cuda_conv_kernels(KernelRegistry* registry);

}  // namespace troupe
