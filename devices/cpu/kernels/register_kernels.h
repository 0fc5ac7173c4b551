#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// One function a family; each adds all CPU kernels of that family.
void register_cwise_kernels(KernelRegistry* registry);
void register_reduction_kernels(KernelRegistry* registry);
void register_cast_kernels(KernelRegistry* registry);
void register_array_kernels(KernelRegistry* registry);
void register_gather_scatter_kernels(KernelRegistry* registry);
void register_segment_kernels(KernelRegistry* registry);
void register_matmul_kernels(KernelRegistry* registry);
void register_conv_kernels(KernelRegistry* registry);
void register_fft_kernels(KernelRegistry* registry);
void register_sparse_kernels(KernelRegistry* registry);
void register_ragged_kernels(KernelRegistry* registry);
void register_audio_kernels(KernelRegistry* registry);
void register_layout_kernels(KernelRegistry* registry);
void register_candidate_sampling_kernels(KernelRegistry* registry);
void register_dilation_kernels(KernelRegistry* registry);
void register_pool_kernels(KernelRegistry* registry);
void register_norm_kernels(KernelRegistry* registry);
void register_nn_kernels(KernelRegistry* registry);
void register_rnn_kernels(KernelRegistry* registry);
void register_ctc_kernels(KernelRegistry* registry);
void register_image_kernels(KernelRegistry* registry);
void register_quantized_kernels(KernelRegistry* registry);
void register_random_kernels(KernelRegistry* registry);
void register_variable_kernels(KernelRegistry* registry);
void register_optimizer_kernels(KernelRegistry* registry);
void register_tensor_array_kernels(KernelRegistry* registry);
void register_checkpoint_kernels(KernelRegistry* registry);
void register_summary_kernels(KernelRegistry* registry);
void register_linalg_kernels(KernelRegistry* registry);
void register_string_kernels(KernelRegistry* registry);
void register_parsing_kernels(KernelRegistry* registry);
void register_codec_kernels(KernelRegistry* registry);
void register_ragged_variant_kernels(KernelRegistry* registry);
void register_control_kernels(KernelRegistry* registry);
void register_functional_kernels(KernelRegistry* registry);
void register_transfer_kernels(KernelRegistry* registry);

/// All of the above.
void register_cpu_kernels(KernelRegistry* registry);

/// Every CPU kernel, made once per process and never destroyed.
const KernelRegistry& builtin_kernels();

}  // namespace troupe
