#include "graph/ops/shapes/shapes.h"
#include "graph/status.h"

namespace troupe::shapes {

absl::Status register_all_shapes(OpRegistry* registry) {
  for (auto* family : {
           register_array_shapes,
           register_index_shapes,
           register_math_shapes,
           register_nn_shapes,
           register_state_shapes,
           register_training_shapes,
           register_window_shapes,
       }) {
    TROUPE_RETURN_IF_ERROR(family(registry));
  }
  return absl::OkStatus();
}

}  // namespace troupe::shapes
