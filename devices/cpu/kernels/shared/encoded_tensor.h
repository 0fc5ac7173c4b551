#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// A tensor as the bytes of a TensorProto: raw bytes where the dtype has them, so that equal tensors give equal strings.
/// InvalidArgument when it is too large for a message.
absl::StatusOr<std::string> encode_tensor(const Tensor& tensor);

}  // namespace troupe
