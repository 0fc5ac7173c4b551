#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Stacks, TensorArrays and TensorLists whose elements are in the memory of GPUs; those of int32, and of what has no place there, are on the
/// host. Handles and numbers of elements are on the host.
void register_cuda_list_kernels(KernelRegistry* registry);

}  // namespace troupe
