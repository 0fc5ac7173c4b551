#pragma once

#include "devices/common/array/box_copy.h"
#include "devices/common/array/strided_range.h"

namespace troupe {

// Kernels of slices for any type of devices, by its `copy`. What is cut where is in the host's memory. InvalidArgument with TensorFlow's
// words.

absl::Status slice(KernelContext& context, BoxCopy copy);
/// StridedSlice, whose attrs are the masks.
absl::Status strided_slice(KernelContext& context, const StridedMasks& masks, BoxCopy copy);

/// As a function of the context alone, to be registered.
template <BoxCopy kCopy>
absl::Status slice(KernelContext& context) {
  return slice(context, kCopy);
}

}  // namespace troupe
