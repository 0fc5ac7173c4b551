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

}  // namespace troupe
