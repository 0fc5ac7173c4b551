#pragma once

#include "absl/strings/string_view.h"
#include "devices/common/conv/conv_problem.h"
#include "devices/common/conv/window.h"

namespace troupe {

/// Checks input and filter against each other and the attrs, and works out the whole problem.
absl::StatusOr<ConvProblem> make_problem(const WindowAttrs& a, bool depthwise, const Shape& input,
                                         const Shape& filter);

/// Checks the gradient of the output against the problem; `op` is for the message.
absl::Status check_out_backprop(const WindowAttrs& a, const ConvProblem& p, const Shape& out,
                                absl::string_view op);

/// The shape of the image, or else of the filter, of which a gradient is made, as its sizes operand tells: a vector of sizes in the host's
/// memory, or (the oldest 3-D ops) a tensor of that shape. Of an image the spatial sizes are enough; batch and channels then come from
/// the other operands.
absl::StatusOr<Shape> told_shape(const Tensor& t, bool as_tensor, const ImageLayout& layout,
                                 const Tensor& filter, const Tensor& out_backprop, bool image);

}  // namespace troupe
