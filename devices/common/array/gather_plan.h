#pragma once

#include <cstdint>

#include "graph/tensor/tensor.h"

namespace troupe {

/// What a gather along one axis does: for each batch, each of `outer` blocks, each index: one run of `run` elements.
struct GatherPlan {
  int64_t batch = 1, outer = 1, axis = 1, indices = 1, run = 1;
  /// Of the output.
  Shape shape;
};

/// Gather of whole positions of `axis`, which may count from the end, as `batch_dims` from the end of the indices' shape; looks at no
/// element. InvalidArgument with TensorFlow's words.
absl::StatusOr<GatherPlan> plan_gather(const Tensor& params, const Tensor& indices, int64_t axis,
                                       int64_t batch_dims);

/// GatherNd, once its indices are flat positions in the dimensions that they index; those together are the axis.
absl::StatusOr<GatherPlan> plan_gather_nd(const Tensor& params, const Tensor& indices);

}  // namespace troupe
