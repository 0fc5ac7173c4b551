#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

// Parts of register_cuda_cwise_kernels, a source each.

/// AddN, AccumulateNV2, ClipByValue, ApproximateEqual, LeakyRelu and its gradient, Betainc.
void register_cuda_cwise_many(KernelRegistry* registry);
/// Select, SelectV2, BroadcastTo.
void register_cuda_cwise_select(KernelRegistry* registry);
/// Cast, Bitcast.
void register_cuda_cwise_cast(KernelRegistry* registry);
/// _FusedElementwise.
void register_cuda_fused_elementwise(KernelRegistry* registry);

}  // namespace troupe
