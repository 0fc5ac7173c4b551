#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Optimisers: updates of variables in the memory of GPUs, where learning rates and other scalars are, too, so that nothing is known of
/// their signs when an update is enqueued.
void register_cuda_training_kernels(KernelRegistry* registry);

}  // namespace troupe
