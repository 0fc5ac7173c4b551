#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Registers `def`, which has no factory yet and is for "GPU", with the kernel that the CPU has for the node: what that allocates is in
/// the host's memory. For ops whose data is small and needed on the host: shapes, indices, arithmetic of int32. `def` must name as
/// host memory what the kernel reads or writes, and every input that it might hand on or write its output to. The registry must have
/// the CPU's kernel by the time that one for the GPU is made.
void add_host_kernel(KernelRegistry* registry, KernelDef def);

}  // namespace troupe
