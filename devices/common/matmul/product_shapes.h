#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "graph/tensor/shape.h"

namespace troupe {

/// The extents of op(a) op(b), which are m by k and k by n.
struct ProductShape {
  int64_t m = 0, n = 0, k = 0;
};
/// Of two matrices, as MatMul takes them. InvalidArgument when they are none, or do not fit: "Matrix size-incompatible: In[0]: ...".
absl::StatusOr<ProductShape> product_shape(const Shape& a, bool transpose_a, const Shape& b,
                                           bool transpose_b);

/// The extents of a batch of products, and how the batches of their operands broadcast.
struct BatchPlan {
  int64_t m = 0, n = 0, k = 0;
  int64_t batches = 0;
  Shape out;
  /// The batch dimensions of the operands, aligned at the last one, 1 where one has none.
  std::vector<int64_t> x_dims, y_dims;

  /// Whether some matrix takes part in several products.
  bool repeats() const { return x_dims != y_dims; }
};
/// As BatchMatMul takes them, or the later versions where batches broadcast by NumPy's rule. InvalidArgument when they do not fit.
absl::StatusOr<BatchPlan> plan_batches(const Shape& x, const Shape& y, bool adj_x, bool adj_y,
                                       bool broadcasts);

}  // namespace troupe
