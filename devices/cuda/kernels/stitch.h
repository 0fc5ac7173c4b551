#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// DynamicStitch and ParallelDynamicStitch. Indices are on the host, as they say how many rows come out.
void register_cuda_stitch_kernels(KernelRegistry* registry);

}  // namespace troupe
