#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Adds the GPUs' kernels of array ops: elements that are moved, picked, placed, padded and put in order.
void register_cuda_array_kernels(KernelRegistry* registry);

}  // namespace troupe
