#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Adds the kernels of all families for "GPU". Some run the CPU's kernel of their op (host_kernel.h): that must be in the registry when
/// they are made.
void register_cuda_kernels(KernelRegistry* registry);

}  // namespace troupe
