#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Rows and elements of variables in the memory of GPUs by index: Scatter* of references, ResourceScatter*, ResourceScatterNd*,
/// ResourceGather*. Indices are in the GPU's memory, where nobody looks at them before: one that is out of range writes nothing, or reads
/// zeros.
void register_cuda_scatter_kernels(KernelRegistry* registry);

}  // namespace troupe
