#pragma once

#include "absl/container/inlined_vector.h"
#include "devices/kernel.h"

namespace troupe {

using Indices = absl::InlinedVector<int64_t, 8>;

/// What is put before and behind each axis (two numbers an axis), and the output's shape.
struct Padded {
  Indices paddings;
  Shape shape;
};

// What ops are asked for by input 1, which is in the host's memory. InvalidArgument with TensorFlow's words.

/// Pad, PadV2.
absl::StatusOr<Padded> pad_shape(const KernelContext& context);
/// MirrorPad and MirrorPadGrad, whose output is the smaller one; `offset` is 1 when the border itself is not repeated.
absl::StatusOr<Padded> mirror_pad_shape(const KernelContext& context, int64_t offset);
absl::StatusOr<Padded> mirror_pad_grad_shape(const KernelContext& context, int64_t offset);
/// That offset, by the attr `mode`.
absl::StatusOr<int64_t> read_mirror_offset(const KernelConstruction& c);

/// Melts neighbouring axes without padding into the one before them.
void melt_axes(Tensor* input, Indices* paddings, Shape* shape);

}  // namespace troupe
