#pragma once

#include "absl/strings/string_view.h"

namespace troupe {

/// A decimal or hexadecimal number, "inf" or "nan", with white space around it; overflow gives infinities.
bool parse_float(absl::string_view s, float* out);
bool parse_double(absl::string_view s, double* out);

}  // namespace troupe
