#pragma once

#include "graph/ops/shapes/common_shapes.h"

namespace troupe::shapes {

// Shapes that ops on tensors and ops on variables share.

/// What GatherNd takes out of `params`; unknown rank when too little is known.
absl::StatusOr<PartialShape> gather_nd_shape(const PartialShape& params, const PartialShape& indices);
/// Whether `updates` fit into `target` at `indices`, as ScatterNd places them.
absl::Status check_scatter_nd(const PartialShape& indices, const PartialShape& updates,
                              const PartialShape& target);

}  // namespace troupe::shapes
