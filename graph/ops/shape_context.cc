#include "graph/ops/shape_context.h"

#include "absl/strings/str_cat.h"

namespace troupe {

absl::StatusOr<PartialShape> ShapeContext::input_as_shape(int i) const {
  if (const Tensor* t = constants_[i]) {
    std::vector<int64_t> dims;
    if (t->rank() > 1 || (t->rank() == 0 && t->num_elements() != 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input tensor must be rank 1, but was rank ", t->rank(), " in a shape"));
    }
    if (t->dtype() == DataType::kInt32) {
      for (int32_t v : t->flat<int32_t>()) dims.push_back(v);
    } else if (t->dtype() == DataType::kInt64) {
      for (int64_t v : t->flat<int64_t>()) dims.push_back(v);
    } else {
      return PartialShape();
    }
    if (t->rank() == 0) {
      if (dims[0] == -1) return PartialShape();
      return absl::InvalidArgumentError("Input tensor must be rank 1, or if its rank 0 it must have value -1");
    }
    for (int64_t d : dims) {
      if (d < -1) return absl::InvalidArgumentError(absl::StrCat("Invalid value in tensor used for shape: ", d));
    }
    return PartialShape(dims);
  }
  if (values_[i]) return *values_[i];
  const PartialShape& shape = inputs_[i];
  if (shape.known_rank() && shape.rank() == 1 && shape.dim(0) >= 0 && shape.dim(0) <= Shape::kMaxRank) {
    return PartialShape(std::vector<int64_t>(static_cast<size_t>(shape.dim(0)), PartialShape::kUnknownDim));
  }
  return PartialShape();
}

std::optional<int64_t> ShapeContext::constant_int(int i) const {
  const Tensor* t = constants_[i];
  if (t == nullptr || t->num_elements() != 1) return std::nullopt;
  if (t->dtype() == DataType::kInt32) return t->value<int32_t>();
  if (t->dtype() == DataType::kInt64) return t->value<int64_t>();
  return std::nullopt;
}

}  // namespace troupe
