#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// FusedBatchNorm in all versions, with gradients.
void register_cuda_batch_norm(KernelRegistry* registry);

}  // namespace troupe
