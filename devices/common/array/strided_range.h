#pragma once

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"
#include "devices/kernel_attrs.h"

namespace troupe {

using Indices = absl::InlinedVector<int64_t, 8>;

/// The attrs of StridedSlice and its like.
struct StridedMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;

  void attributes(AttrReader& a) {
    a("begin_mask", &begin)("end_mask", &end)("ellipsis_mask", &ellipsis);
    a("new_axis_mask", &new_axis)("shrink_axis_mask", &shrink);
  }
};

/// A slice resolved against a shape.
struct StridedRange {
  /// Per dimension of the input: first index, step, and how many.
  Indices begin, stride, size;
  /// What comes out: without shrunk axes, with new ones.
  Shape shape;
  bool identity = true;

  /// Offset of the first element within a tensor of `sliced`, and per dimension the step in elements.
  int64_t offset_and_steps(const Shape& sliced, Indices* steps) const;
  /// Per dimension of the input, the distance between neighbours of a value of shape `value` that broadcasts to `shape`;
  /// 0 where the range has one element. InvalidArgument "Cannot broadcast input shape ..." when it does not.
  absl::StatusOr<Indices> value_strides(const Shape& value) const;
};

/// begin, end and strides are in the host's memory. InvalidArgument with TensorFlow's words.
absl::StatusOr<StridedRange> resolve_slice(std::span<const int64_t> dims, const Tensor& begin,
                                           const Tensor& end, const Tensor& strides,
                                           const StridedMasks& masks);

}  // namespace troupe
