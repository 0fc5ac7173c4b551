#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// What the elements of a tensor message are made of. For the sources of tensor_message only.

/// Strings, resources or variants as a TensorProto. Unimplemented for what has no wire form; ResourceExhausted from 2 GiB on.
absl::StatusOr<absl::Cord> encode_elements(const Tensor& value);
/// Reads it again. InvalidArgument unless dtype and shape are those of the header and each element is there; ResourceExhausted when tensors
/// inside of variants would take more than `limit` bytes together.
absl::StatusOr<Tensor> decode_elements(DataType dtype, const Shape& shape, absl::string_view payload,
                                       int64_t limit);
/// InvalidArgument for bytes that are no elements of the type: bools but 0 and 1, and numbers of fewer than 8 bits that have more.
absl::Status check_elements(DataType dtype, absl::string_view payload);

}  // namespace troupe
