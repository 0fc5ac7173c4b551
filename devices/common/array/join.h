#pragma once

#include "absl/container/inlined_vector.h"
#include "devices/kernel.h"

namespace troupe {

using Indices = absl::InlinedVector<int64_t, 8>;

/// Where tensors are joined, or taken apart, and the shape of each output.
struct Joint {
  int axis = 0;
  Shape shape;
};

/// Where one is cut, and the size of each piece along that axis: not negative, adding up.
struct Cut {
  int axis = 0;
  Indices sizes;
};

// Axes and sizes that are inputs are in the host's memory. InvalidArgument with TensorFlow's words.

/// A concatenation of the inputs [first, first + n) along the axis that input `axis_input` tells.
absl::StatusOr<Joint> concat_shape(const KernelContext& context, int first, int n, int axis_input,
                                   const char* axis_name);
/// Pack of all inputs, Unpack of input 0; `axis` may count from the end.
absl::StatusOr<Joint> pack_shape(const KernelContext& context, int64_t axis);
absl::StatusOr<Joint> unpack_shape(const KernelContext& context, int64_t axis);
/// Split of input 1; SplitV of input 0.
absl::StatusOr<Cut> split_cut(const KernelContext& context);
absl::StatusOr<Cut> split_v_cut(const KernelContext& context);

}  // namespace troupe
