#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Random numbers on GPUs: those of the CPU's generators, to the bit where libm agrees.
void register_cuda_random_kernels(KernelRegistry* registry);

}  // namespace troupe
