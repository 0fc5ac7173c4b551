#pragma once

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// The row of a dense feature. With `variable`, dimension 0 is as long as the longest of the batch.
struct DenseSpec {
  PartialShape declared;
  bool variable = false;
  /// All of the row, or one step of the variable dimension.
  Shape row;
  int64_t elements = 1;

  /// InvalidArgument "dense_shapes[i] has unknown rank or unknown inner dimensions: [..]".
  static absl::StatusOr<DenseSpec> make(size_t i, const PartialShape& shape, bool allow_variable);
};

/// Whether the default value of a dense feature fits; an empty one means that the feature is required.
absl::Status check_default(size_t i, const DenseSpec& spec, const Tensor& value);

}  // namespace troupe
