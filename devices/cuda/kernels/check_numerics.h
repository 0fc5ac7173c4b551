#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// CheckNumerics and CheckNumericsV2.
void register_cuda_check_numerics_kernels(KernelRegistry* registry);

}  // namespace troupe
