#include "graph/ops/register_ops.h"

#include "graph/ops/shapes/shapes.h"

namespace troupe {

absl::Status register_all_ops(OpRegistry* registry) {
  for (auto* family : {
           register_control_flow_ops, register_misc_ops,     register_math_ops,      register_data_flow_ops,
           register_sparse_ops,       register_nn_ops,       register_dataset_ops,   register_random_ops,
           register_state_ops,        register_string_ops,   register_image_ops,     register_linalg_ops,
           register_array_ops,        register_training_ops, register_io_ops,        register_functional_ops,
           register_transfer_ops,     register_list_ops,     register_quantized_ops, register_runtime_ops,
       }) {
    TROUPE_RETURN_IF_ERROR(family(registry));
  }
  return shapes::register_all_shapes(registry);
}

}  // namespace troupe
