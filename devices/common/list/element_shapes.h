#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// What two partial shapes say together. InvalidArgument "... Incompatible shapes during merge: [2] vs. [3]".
absl::StatusOr<PartialShape> merge_shapes(const PartialShape& a, const PartialShape& b);

/// `outer` in front of `inner`; unknown when either rank is unknown.
PartialShape concat_shapes(const PartialShape& outer, const PartialShape& inner);

/// A shape that came as a tensor: an int32 or int64 vector with -1 for unknown dimensions, or the scalar -1
/// for an unknown rank.
absl::StatusOr<PartialShape> shape_from_tensor(const Tensor& t);

}  // namespace troupe
