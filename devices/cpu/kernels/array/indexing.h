#pragma once

#include <string>

#include "devices/common/array/stitch_shape.h"
#include "devices/common/variable/variable.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// "0, 3": row `row` of an index tensor.
std::string index_text(const Tensor& indices, int64_t row);
/// Turns the rows of `indices` (its innermost dimension, `depth` numbers) into flat positions in the first `depth`
/// dimensions of `shape`. Returns the first row out of range, or -1.
int64_t flatten_indices(const Tensor& indices, const Shape& shape, int depth, int64_t* flat);

}  // namespace troupe
