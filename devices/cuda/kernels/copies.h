#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// `_CopyToHost` and `_CopyToDevice`, which graph/passes/cross_memory puts between memories.
void register_cuda_copy_kernels(KernelRegistry* registry);

}  // namespace troupe
