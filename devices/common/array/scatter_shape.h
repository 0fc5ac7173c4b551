#pragma once

#include <cstdint>

#include "devices/kernel.h"

namespace troupe {

/// The indices of a ScatterNd or TensorScatter: rows of `depth` numbers, as many as the first `outer` dimensions hold.
struct ScatterShape {
  int64_t depth = 1;
  int outer = 1;
};
ScatterShape scatter_shape(const Tensor& indices);

/// Which of TensorFlow's wordings the op has: ScatterNd; ScatterNd* of variables; TensorScatter*.
enum class ScatterWording { kNew, kUpdate, kTensor };

/// Whether updates fit the indices and a target of `shape`; looks at no element. InvalidArgument with TensorFlow's words.
absl::Status check_scatter_shapes(ScatterWording wording, const Tensor& indices, const Tensor& updates,
                                  const Shape& shape);

/// Whether updates fit a scatter to whole rows of a variable's value, `params`: Scatter* on references, ResourceScatter* on handles. A scalar
/// goes to all rows. Looks at no element. InvalidArgument with TensorFlow's words.
absl::Status check_row_scatter(bool is_resource, const Tensor& params, const Tensor& indices,
                               const Tensor& updates);

/// What happens to an index outside of the target: attr bad_indices_policy. DEFAULT, or no attr, is the device's own way.
enum class BadIndices { kDefault, kError, kIgnore };
absl::StatusOr<BadIndices> read_bad_indices_policy(const KernelNode& node);

}  // namespace troupe
