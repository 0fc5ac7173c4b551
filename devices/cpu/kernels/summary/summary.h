#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Adds all kernels of this folder.
void register_summary_kernels(KernelRegistry* registry);

}  // namespace troupe
