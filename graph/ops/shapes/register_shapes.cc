#include "graph/ops/shapes/shapes.h"
#include "graph/status.h"

namespace troupe::shapes {

absl::Status register_all_shapes(OpRegistry* registry) {
  for (auto* family : {
           register_array_shapes,        register_blocks_shapes,    register_concat_shapes,
           register_control_flow_shapes, register_conv_shapes,      register_data_flow_shapes,
           register_dataset_shapes,      register_diagonals_shapes, register_functional_shapes,
           register_image_shapes,        register_index_shapes,     register_io_shapes,
           register_linalg_shapes,       register_list_shapes,      register_math_shapes,
           register_nn_shapes,           register_pool_shapes,      register_quantized_shapes,
           register_random_shapes,       register_rng_shapes,       register_slice_shapes,
           register_sparse_shapes,       register_state_shapes,     register_string_shapes,
           register_training_shapes,     register_window_shapes,
       }) {
    TROUPE_RETURN_IF_ERROR(family(registry));
  }
  return absl::OkStatus();
}

}  // namespace troupe::shapes
