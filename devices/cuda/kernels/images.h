#pragma once

#include "devices/cuda/machine_gpus.h"

namespace troupe {

/// The machine code of the kernels in source/, for the oldest GPUs and newer ones, and PTX for those to come. None where this was built without
/// (TROUPE_WITH_CUDA off).
GpuKernels kernel_images();

}  // namespace troupe
