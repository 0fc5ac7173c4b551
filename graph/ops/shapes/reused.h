#pragma once

#include "graph/ops/shape_context.h"

namespace troupe::shapes {

// Shape functions of one family that another one builds on.

/// Inputs [begin, end) joined along the axis that input `axis_input` holds.
absl::Status concat_inputs(ShapeContext& c, int begin, int end, int axis_input);
/// Conv2D: image, filter.
absl::Status conv_2d(ShapeContext& c);
/// DepthwiseConv2dNative: image, filter.
absl::Status depthwise_conv_2d(ShapeContext& c);
/// [batch, height, width, channels] in, height and width from input 1 out.
absl::Status resize_image(ShapeContext& c);

}  // namespace troupe::shapes
