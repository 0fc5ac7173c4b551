#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Parts of register_norm_kernels, each from a source of its own.
void register_bias_kernels(KernelRegistry* r);
void register_batch_norm_kernels(KernelRegistry* r);
void register_lrn_kernels(KernelRegistry* r);

}  // namespace troupe
