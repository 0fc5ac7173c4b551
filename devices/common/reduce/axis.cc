#include "devices/common/reduce/axis.h"

#include "devices/common/array_values.h"

namespace troupe {

absl::StatusOr<int> arg_axis(const Tensor& x, const Tensor& dimension) {
  if (dimension.rank() != 0) {
    return invalid("dim must be a scalar, but received tensor of shape: ", dimension.shape().to_string());
  }
  int64_t axis = int_at(dimension, 0);
  if (axis < -x.rank() || axis >= x.rank()) {
    return invalid("Expected dimension in the range [", -x.rank(), ", ", x.rank(), "), but got ", axis);
  }
  if (axis < 0) axis += x.rank();
  const int at = static_cast<int>(axis);
  if (x.dim(at) == 0) return invalid("Reduction axis ", axis, " is empty in shape ", x.shape().to_string());
  return at;
}

absl::StatusOr<int> scan_axis(const Tensor& x, const Tensor& axis) {
  if (axis.rank() != 0) return invalid("ScanOp: axis must be a scalar, not ", axis.shape().to_string());
  const int64_t at = int_at(axis, 0);
  if (at < -x.rank() || at >= x.rank()) {
    return invalid("ScanOp: Expected scan axis in the range [", -x.rank(), ", ", x.rank(), "), but got ", at);
  }
  return static_cast<int>(at < 0 ? at + x.rank() : at);
}

}  // namespace troupe
