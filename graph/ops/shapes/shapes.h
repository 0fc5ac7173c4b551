#pragma once

#include "graph/ops/op_registry.h"

namespace troupe::shapes {

/// One function a family; each gives the ops of its table their shape functions.
absl::Status register_array_shapes(OpRegistry* registry);
absl::Status register_blocks_shapes(OpRegistry* registry);
absl::Status register_concat_shapes(OpRegistry* registry);
absl::Status register_control_flow_shapes(OpRegistry* registry);
absl::Status register_conv_shapes(OpRegistry* registry);
absl::Status register_data_flow_shapes(OpRegistry* registry);
absl::Status register_dataset_shapes(OpRegistry* registry);
absl::Status register_diagonals_shapes(OpRegistry* registry);
absl::Status register_functional_shapes(OpRegistry* registry);
absl::Status register_image_shapes(OpRegistry* registry);
absl::Status register_index_shapes(OpRegistry* registry);
absl::Status register_io_shapes(OpRegistry* registry);
absl::Status register_linalg_shapes(OpRegistry* registry);
absl::Status register_list_shapes(OpRegistry* registry);
absl::Status register_math_shapes(OpRegistry* registry);
absl::Status register_nn_shapes(OpRegistry* registry);
absl::Status register_pool_shapes(OpRegistry* registry);
absl::Status register_quantized_shapes(OpRegistry* registry);
absl::Status register_random_shapes(OpRegistry* registry);
absl::Status register_rng_shapes(OpRegistry* registry);
absl::Status register_slice_shapes(OpRegistry* registry);
absl::Status register_sparse_shapes(OpRegistry* registry);
absl::Status register_state_shapes(OpRegistry* registry);
absl::Status register_string_shapes(OpRegistry* registry);
absl::Status register_training_shapes(OpRegistry* registry);
absl::Status register_window_shapes(OpRegistry* registry);

/// All families, once their ops are registered: the one list of them.
absl::Status register_all_shapes(OpRegistry* registry);

}  // namespace troupe::shapes
