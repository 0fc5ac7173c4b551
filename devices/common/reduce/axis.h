#pragma once

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"

namespace troupe {

// The axis, in [0, rank), that an operand in the host's memory names. InvalidArgument with TensorFlow's words.

/// Of ArgMax and ArgMin; it has elements.
absl::StatusOr<int> arg_axis(const Tensor& x, const Tensor& dimension);
/// Of Cumsum and its like.
absl::StatusOr<int> scan_axis(const Tensor& x, const Tensor& axis);

}  // namespace troupe
