#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Cumsum, Cumprod and CumulativeLogsumexp.
void register_cuda_scans(KernelRegistry* registry);
/// Bincount and DenseBincount.
void register_cuda_counts(KernelRegistry* registry);

}  // namespace troupe
