#pragma once

#include <string>

#include "devices/kernel.h"

namespace troupe {

/// "[1,0]": where element `flat` of a tensor of this shape is; "" for a scalar.
std::string position_text(const Shape& shape, int64_t flat);

/// What comes out of DynamicStitch and ParallelDynamicStitch: as many rows as the largest index, of all indices, says. Indices are read, on the
/// host. InvalidArgument with TensorFlow's words.
absl::StatusOr<Shape> stitched_shape(const KernelContext& context);

}  // namespace troupe
