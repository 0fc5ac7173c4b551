#pragma once

#include "graph/ops/op_registry.h"

namespace troupe {

/// One function an op family; each adds the rows of its table.
absl::Status register_control_flow_ops(OpRegistry* registry);
absl::Status register_misc_ops(OpRegistry* registry);
absl::Status register_math_ops(OpRegistry* registry);
absl::Status register_data_flow_ops(OpRegistry* registry);
absl::Status register_sparse_ops(OpRegistry* registry);
absl::Status register_nn_ops(OpRegistry* registry);
absl::Status register_dataset_ops(OpRegistry* registry);
absl::Status register_random_ops(OpRegistry* registry);
absl::Status register_state_ops(OpRegistry* registry);
absl::Status register_string_ops(OpRegistry* registry);
absl::Status register_image_ops(OpRegistry* registry);
absl::Status register_linalg_ops(OpRegistry* registry);
absl::Status register_array_ops(OpRegistry* registry);
absl::Status register_training_ops(OpRegistry* registry);
absl::Status register_io_ops(OpRegistry* registry);
absl::Status register_functional_ops(OpRegistry* registry);
absl::Status register_transfer_ops(OpRegistry* registry);
absl::Status register_list_ops(OpRegistry* registry);
absl::Status register_quantized_ops(OpRegistry* registry);
absl::Status register_runtime_ops(OpRegistry* registry);

/// All families, the one list of them; and their shape functions.
absl::Status register_all_ops(OpRegistry* registry);

}  // namespace troupe
