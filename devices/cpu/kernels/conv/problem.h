#pragma once

#include "absl/strings/string_view.h"
#include "devices/cpu/kernels/shared/window.h"
#include "devices/cpu/primitives/onednn.h"

namespace troupe {

/// Checks input and filter against each other and the attrs, and works out the whole problem.
absl::StatusOr<onednn::ConvProblem> make_problem(const WindowAttrs& a, bool depthwise, const Shape& input,
                                                 const Shape& filter);

/// Checks the gradient of the output against the problem; `op` is for the message.
absl::Status check_out_backprop(const WindowAttrs& a, const onednn::ConvProblem& p, const Shape& out,
                                absl::string_view op);

}  // namespace troupe
