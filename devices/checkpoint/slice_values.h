#pragma once

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"

namespace tensorflow {
class TensorProto;
}  // namespace tensorflow

namespace troupe {

/// V1 checkpoints keep values as the lists of a TensorProto that has neither dtype nor shape.

/// True when V1 checkpoints can hold tensors of the dtype.
bool is_slice_dtype(DataType dtype);
/// Appends every element to the list of its kind.
void put_slice_values(const Tensor& value, tensorflow::TensorProto* out);
/// How many elements there are.
int64_t count_slice_values(const tensorflow::TensorProto& proto, DataType dtype);
/// The elements as a tensor; their number must fit. Uses up `proto`.
absl::StatusOr<Tensor> take_slice_values(DataType dtype, const Shape& shape, tensorflow::TensorProto* proto);

}  // namespace troupe
