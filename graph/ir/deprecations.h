#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "graph/ops/op_def.h"

namespace troupe {

/// What TensorFlow tells who uses an op that newer graphs may not; "" when there is nothing to tell.
absl::string_view deprecation_advice(absl::string_view op);

/// Unimplemented, with that advice, for an op that graphs of this producer version may not have.
absl::Status check_not_deprecated(const OpDef& op, int producer);

}  // namespace troupe
