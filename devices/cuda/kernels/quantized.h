#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Adds the GPUs' kernels that simulate quantisation: FakeQuant*, QuantizeAndDequantize*.
void register_cuda_quantized_kernels(KernelRegistry* registry);

}  // namespace troupe
