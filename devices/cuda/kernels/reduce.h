#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Reductions, scans and histograms on GPUs.
void register_cuda_reduce_kernels(KernelRegistry* registry);

}  // namespace troupe
