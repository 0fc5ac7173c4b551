#pragma once

#include "devices/common/array/box_copy.h"

namespace troupe {

// Kernels of ops that put elements in another order (reorder.h says what they are asked for), for any type of devices by its `copy`.

absl::Status tile(KernelContext& context, BoxCopy copy);
absl::Status reverse(KernelContext& context, BoxCopy copy);
absl::Status reverse_v2(KernelContext& context, BoxCopy copy);

/// As functions of the context alone, to be registered.
template <BoxCopy kCopy>
absl::Status tile(KernelContext& context) {
  return tile(context, kCopy);
}
template <BoxCopy kCopy>
absl::Status reverse(KernelContext& context) {
  return reverse(context, kCopy);
}
template <BoxCopy kCopy>
absl::Status reverse_v2(KernelContext& context) {
  return reverse_v2(context, kCopy);
}

}  // namespace troupe
