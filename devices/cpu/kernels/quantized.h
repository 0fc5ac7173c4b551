#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// Parts of register_quantized_kernels, each from a source of its own.
void register_quantization_simulation_kernels(KernelRegistry* r);
void register_quantized_conversion_kernels(KernelRegistry* r);
void register_quantized_compute_kernels(KernelRegistry* r);
void register_quantized_conv_kernels(KernelRegistry* r);
void register_quantized_matmul_kernels(KernelRegistry* r);
void register_quantized_per_channel_kernels(KernelRegistry* r);
void register_quantized_concat_kernels(KernelRegistry* r);
void register_quantized_layer_kernels(KernelRegistry* r);
void register_uniform_quantized_kernels(KernelRegistry* r);

}  // namespace troupe
