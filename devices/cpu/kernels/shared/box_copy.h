#pragma once

#include "devices/common/array/box_copy.h"

namespace troupe {

/// The BoxCopy of CPUs.
absl::Status copy_axes(KernelContext& context, const Tensor& from, int64_t start,
                       std::span<const BoxAxis> axes, Tensor* to);

}  // namespace troupe
