#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Variables in the memory of GPUs, by resource handle and by reference. Handles, and what is told of variables, are on the host.
void register_cuda_variable_kernels(KernelRegistry* registry);

}  // namespace troupe
