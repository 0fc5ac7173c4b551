#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// NumPy's .npy format, versions 1 to 3: plain numbers, bool, complex, byte strings ("S") and text ("U", read as
/// UTF-8). Both byte orders and both memory orders are read; little endian and C order are written.
///
/// Dtypes that NumPy does not have travel in one that holds them: bfloat16 as float32, quantised and 4-bit integers as
/// plain integers. `as` says what the reader wants to have; without it the tensor gets the dtype of the file.
/// InvalidArgument for anything malformed, for files that hold Python objects, and when `as` is not what the file holds.
absl::StatusOr<Tensor> decode_npy(absl::string_view bytes, std::optional<DataType> as = std::nullopt);
/// InvalidArgument for resources and variants. Strings are written as "S" of the longest, which cannot tell trailing
/// zero bytes.
absl::StatusOr<std::string> encode_npy(const Tensor& tensor);

/// The same with files; errors name the path.
absl::StatusOr<Tensor> read_npy(const std::string& path, std::optional<DataType> as = std::nullopt);
absl::Status write_npy(const std::string& path, const Tensor& tensor);

}  // namespace troupe
