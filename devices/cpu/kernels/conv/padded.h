#pragma once

#include "devices/common/conv/window.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// The convolution of an image or a volume with a filter of its dtype: floating, or int32.
absl::StatusOr<Tensor> convolve(KernelContext& context, const WindowAttrs& attrs, const Tensor& input,
                                const Tensor& filter);

}  // namespace troupe
