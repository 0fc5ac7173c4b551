#pragma once

#include "devices/cpu/loops/philox.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// All that follow.
void register_misc_kernels(KernelRegistry* registry);

/// Random numbers whose generator's state is a resource variable, and binomial numbers.
void register_rng_resource_kernels(KernelRegistry* registry);
void register_random_binomial_kernels(KernelRegistry* registry);
void register_random_rounding_kernels(KernelRegistry* registry);
void register_random_box_kernels(KernelRegistry* registry);
void register_index_shuffle_kernels(KernelRegistry* registry);
void register_sobol_kernels(KernelRegistry* registry);
/// Word vectors out of a text; values on their way into a file.
void register_word2vec_kernels(KernelRegistry* registry);
void register_dump_tensor_kernels(KernelRegistry* registry);
/// Points: nearest centres and first centres; rows made monotonic; vocabularies; small things.
void register_clustering_kernels(KernelRegistry* registry);
void register_isotonic_kernels(KernelRegistry* registry);
void register_vocab_remap_kernels(KernelRegistry* registry);
void register_misc_value_kernels(KernelRegistry* registry);
/// Crosses of ragged features.
void register_ragged_cross_kernels(KernelRegistry* registry);
/// Inputs of several steps as one batch, and back.
void register_batch_kernels(KernelRegistry* registry);
void register_unbatch_kernels(KernelRegistry* registry);
/// Resource handles asked, tensors in variants with a description.
void register_handle_kernels(KernelRegistry* registry);
void register_composite_kernels(KernelRegistry* registry);
/// Stochastic dual coordinate ascent.
void register_sdca_kernels(KernelRegistry* registry);
/// Matrices out of checkpoints, with rows and columns in other places.
void register_load_remap_kernels(KernelRegistry* registry);
/// Sparse Cholesky factors.
void register_csr_cholesky_kernels(KernelRegistry* registry);
/// What debuggers and calibration want to know of a tensor.
void register_debug_summary_kernels(KernelRegistry* registry);
void register_calibration_kernels(KernelRegistry* registry);
/// Ops that rewriters put in: unary ops in a row.
void register_rewritten_kernels(KernelRegistry* registry);
/// Messages read and written.
void register_proto_kernels(KernelRegistry* registry);

}  // namespace troupe
