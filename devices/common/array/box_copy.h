#pragma once

#include <span>

#include "absl/container/inlined_vector.h"
#include "devices/kernel.h"

namespace troupe {

/// An axis of elements on the move: their number, and the strides (in elements) in the source and in the destination; negative ones in
/// the source for reversal, 0 for repetition.
struct BoxAxis {
  int64_t size, from, to;
};
/// From the outermost of the destination inwards.
using BoxAxes = absl::InlinedVector<BoxAxis, 16>;

/// How a type of devices copies elements along axes: in `from` from element `start` on, in `to` from its first element on. Both have one dtype,
/// and do not overlap. Nothing is copied where an axis has no elements.
using BoxCopy = absl::Status (*)(KernelContext& context, const Tensor& from, int64_t start,
                                 std::span<const BoxAxis> axes, Tensor* to);

}  // namespace troupe
