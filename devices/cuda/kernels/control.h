#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// What a GPU's partition needs besides computation: nodes that executors do by kind (placement asks whether they may be there), calls of
/// functions, checks, handles of sessions, debug ops. None of them does any work on the GPU.
void register_cuda_control_kernels(KernelRegistry* registry);

}  // namespace troupe
