#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

// Parts of register_cuda_matmul_kernels, a source each.

void register_cuda_einsum(KernelRegistry* registry);

}  // namespace troupe
