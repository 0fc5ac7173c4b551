#include "devices/common/list/element_shapes.h"

#include "devices/common/array_values.h"

namespace troupe {

absl::StatusOr<PartialShape> merge_shapes(const PartialShape& a, const PartialShape& b) {
  if (!b.known_rank()) return a;
  if (!a.known_rank()) return b;
  if (a.rank() != b.rank()) {
    return invalid("PartialTensorShape: Incompatible ranks during merge: ", a.rank(), " vs. ", b.rank());
  }
  std::vector<int64_t> dims = a.dims();
  for (int i = 0; i < b.rank(); ++i) {
    if (b.dim(i) < 0) continue;
    if (dims[i] >= 0 && dims[i] != b.dim(i)) {
      return invalid("PartialTensorShape: Incompatible shapes during merge: ", a.to_string(), " vs. ",
                     b.to_string());
    }
    dims[i] = b.dim(i);
  }
  return PartialShape(std::move(dims));
}

PartialShape concat_shapes(const PartialShape& outer, const PartialShape& inner) {
  if (!outer.known_rank() || !inner.known_rank()) return PartialShape();
  std::vector<int64_t> dims = outer.dims();
  dims.insert(dims.end(), inner.dims().begin(), inner.dims().end());
  return PartialShape(std::move(dims));
}

absl::StatusOr<PartialShape> shape_from_tensor(const Tensor& t) {
  if (t.dtype() != DataType::kInt32 && t.dtype() != DataType::kInt64) {
    return invalid("Expected an int32 or int64 shape tensor; found ", dtype_name(t.dtype()));
  }
  if (is_scalar(t)) {
    if (int_at(t, 0) != -1)
      return invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
    return PartialShape();
  }
  if (!is_vector(t))
    return invalid("shape must be a vector of {int32,int64}, got shape ", t.shape().to_string());
  if (t.num_elements() > Shape::kMaxRank) return invalid("Shape has too many dimensions: ", t.num_elements());
  std::vector<int64_t> dims(static_cast<size_t>(t.num_elements()));
  int64_t count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = int_at(t, static_cast<int64_t>(i));
    if (dims[i] < -1) return invalid("Dimension ", dims[i], " must be >= -1");
    if (dims[i] > 0 && multiply_overflows(count, dims[i], &count)) {
      return invalid("Shape would have more than 2**63 - 1 elements");
    }
  }
  return PartialShape(std::move(dims));
}

}  // namespace troupe
