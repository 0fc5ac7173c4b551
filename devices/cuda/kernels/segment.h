#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Rows of the GPU's memory combined by segment. What tells how many rows come out (sorted ids, num_segments) is on the host; other ids and
/// indices are in the GPU's memory, where nobody looks at them before: those out of range are passed over.
void register_cuda_segment_kernels(KernelRegistry* registry);

}  // namespace troupe
