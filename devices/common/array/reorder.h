#pragma once

#include "absl/container/inlined_vector.h"
#include "devices/kernel.h"

namespace troupe {

using Indices = absl::InlinedVector<int64_t, 8>;
/// Per axis whether it is reversed.
using ReversedAxes = absl::InlinedVector<bool, 8>;

// What ops that put elements in another order are asked for. Inputs that say so are in the host's memory. InvalidArgument with
// TensorFlow's words.

/// Transpose: axis i of the output is axis perm[i] of the input.
struct Transposed {
  Indices perm;
  Shape shape;
  /// False when all elements stay where they are, as axes of size 1 alone move.
  bool moves = false;
};
absl::StatusOr<Transposed> transpose_of(const KernelContext& context);

struct Tiled {
  Indices multiples;
  Shape shape;
};
absl::StatusOr<Tiled> tile_of(const KernelContext& context);

/// Reverse; ReverseV2.
absl::StatusOr<ReversedAxes> reversed_axes(const KernelContext& context);
absl::StatusOr<ReversedAxes> reversed_axes_v2(const KernelContext& context);
/// ReverseSequence; looks at no length.
absl::Status check_reverse_sequence(const Tensor& input, const Tensor& lengths, int64_t seq, int64_t batch);

/// Roll: per axis how far elements move, in [0, size).
absl::StatusOr<Indices> rolled_axes(const KernelContext& context);

}  // namespace troupe
