#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Products of matrices and Einsum on GPUs.
void register_cuda_matmul_kernels(KernelRegistry* registry);

}  // namespace troupe
