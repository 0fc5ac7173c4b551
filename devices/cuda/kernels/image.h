#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Adds the GPUs' kernels of image ops: resized, cropped, coloured.
void register_cuda_image_kernels(KernelRegistry* registry);

}  // namespace troupe
