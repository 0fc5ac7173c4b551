#pragma once

#include "devices/cpu/kernels/window.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// The convolution of an image or a volume with a filter of its dtype: floating, or int32.
absl::StatusOr<Tensor> convolve(KernelContext& context, const WindowAttrs& attrs, const Tensor& input,
                                const Tensor& filter);

/// FusedPadConv2D, FusedResizeAndPadConv2D.
void register_padded_conv(KernelRegistry* registry);
/// Conv.
void register_conv_nd(KernelRegistry* registry);

}  // namespace troupe
