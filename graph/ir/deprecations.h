#pragma once

#include "absl/strings/string_view.h"

namespace troupe {

/// What TensorFlow tells who uses an op that newer graphs may not; "" when there is nothing to tell.
absl::string_view deprecation_advice(absl::string_view op);

}  // namespace troupe
