#pragma once

#include <span>

#include "graph/ops/op_registry.h"

namespace troupe {

/// A table of ops of a family, which has the name of the kernels' folder; a large family has several tables.
struct OpFamily {
  const char* name;
  absl::Status (*add)(OpRegistry* registry);
};

/// All tables, by name: the one list of them.
std::span<const OpFamily> op_families();

/// The ops of all families, and their shape functions.
absl::Status register_all_ops(OpRegistry* registry);

// One function a table; each adds its rows.
absl::Status register_array_ops(OpRegistry* registry);
absl::Status register_checkpoint_ops(OpRegistry* registry);
absl::Status register_control_ops(OpRegistry* registry);
absl::Status register_conv_ops(OpRegistry* registry);
absl::Status register_cwise_ops(OpRegistry* registry);
absl::Status register_dataset_function_ops(OpRegistry* registry);
absl::Status register_dataset_iterator_ops(OpRegistry* registry);
absl::Status register_dataset_source_ops(OpRegistry* registry);
absl::Status register_dataset_transformation_ops(OpRegistry* registry);
absl::Status register_image_ops(OpRegistry* registry);
absl::Status register_linalg_ops(OpRegistry* registry);
absl::Status register_list_ops(OpRegistry* registry);
absl::Status register_matmul_ops(OpRegistry* registry);
absl::Status register_nn_ops(OpRegistry* registry);
absl::Status register_norm_ops(OpRegistry* registry);
absl::Status register_parsing_ops(OpRegistry* registry);
absl::Status register_pool_ops(OpRegistry* registry);
absl::Status register_quantized_ops(OpRegistry* registry);
absl::Status register_queue_ops(OpRegistry* registry);
absl::Status register_ragged_ops(OpRegistry* registry);
absl::Status register_random_ops(OpRegistry* registry);
absl::Status register_reduce_ops(OpRegistry* registry);
absl::Status register_signal_ops(OpRegistry* registry);
absl::Status register_sparse_ops(OpRegistry* registry);
absl::Status register_string_ops(OpRegistry* registry);
absl::Status register_summary_ops(OpRegistry* registry);
absl::Status register_table_ops(OpRegistry* registry);
absl::Status register_training_ops(OpRegistry* registry);
absl::Status register_variable_ops(OpRegistry* registry);

}  // namespace troupe
