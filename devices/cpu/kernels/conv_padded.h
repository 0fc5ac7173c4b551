#pragma once

#include "devices/cpu/kernels/window.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// Output 0 = the 2-D convolution of a floating image with a filter of its dtype.
absl::Status convolve_2d(KernelContext& context, const WindowAttrs& attrs, const Tensor& input,
                         const Tensor& filter);

/// FusedPadConv2D, FusedResizeAndPadConv2D.
void register_padded_conv(KernelRegistry* registry);

}  // namespace troupe
