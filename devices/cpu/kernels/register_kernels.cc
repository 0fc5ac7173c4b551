#include "devices/cpu/kernels/register_kernels.h"

#include "devices/cpu/kernels/data_flow_families.h"
#include "devices/cpu/kernels/misc_families.h"

namespace troupe {

void register_cpu_kernels(KernelRegistry* registry) {
  register_string_kernels(registry);
  register_parsing_kernels(registry);
  register_codec_kernels(registry);
  register_ragged_variant_kernels(registry);
  register_control_kernels(registry);
  register_functional_kernels(registry);
  register_transfer_kernels(registry);
  register_variable_kernels(registry);
  register_optimizer_kernels(registry);
  register_checkpoint_kernels(registry);
  register_summary_kernels(registry);
  register_cwise_kernels(registry);
  register_data_flow_kernels(registry);
  register_array_kernels(registry);
  register_gather_scatter_kernels(registry);
  register_segment_kernels(registry);
  register_cast_kernels(registry);
  register_reduction_kernels(registry);
  register_random_kernels(registry);
  register_misc_kernels(registry);
  register_matmul_kernels(registry);
  register_quantized_kernels(registry);
  register_ctc_kernels(registry);
  register_rnn_kernels(registry);
  register_image_kernels(registry);
  register_nn_kernels(registry);
  register_norm_kernels(registry);
  register_pool_kernels(registry);
  register_dilation_kernels(registry);
  register_conv_kernels(registry);
  register_linalg_kernels(registry);
  register_fft_kernels(registry);
  register_sparse_kernels(registry);
  register_ragged_kernels(registry);
  register_audio_kernels(registry);
  register_layout_kernels(registry);
  register_candidate_sampling_kernels(registry);
}

const KernelRegistry& builtin_kernels() {
  static const KernelRegistry* registry = [] {
    auto* r = new KernelRegistry;
    register_cpu_kernels(r);
    return r;
  }();
  return *registry;
}

}  // namespace troupe
