#include "devices/common/array/order_checks.h"

#include <cstdint>
#include <limits>

#include "devices/common/array_values.h"

namespace troupe {

absl::Status check_top_k(const KernelContext& context, int64_t k) {
  const Tensor& input = context.input(0);
  if (k < 0) return invalid("Need k >= 0, got ", k);
  if (input.rank() < 1) return invalid("input must be >= 1-D, got shape ", input.shape().to_string());
  const int64_t n = input.dim(input.rank() - 1);
  if (n < k) return invalid("input must have at least k columns. Had ", n, ", needed ", k);
  if (context.output_type(1) == DataType::kInt16 && n > std::numeric_limits<int16_t>::max()) {
    return invalid("Second dimension of flattened input must be <= ", std::numeric_limits<int16_t>::max(),
                   ", got ", n);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> top_k_v2_k(const KernelContext& context) {
  const Tensor& k = context.input(1);
  if (!is_scalar(k)) return invalid("k must be scalar, got shape ", k.shape().to_string());
  TROUPE_RETURN_IF_ERROR(check_top_k(context, int_at(k, 0)));
  return int_at(k, 0);
}

absl::Status check_in_top_k(const Tensor& predictions, const Tensor& targets) {
  if (predictions.rank() != 2) return invalid("predictions must be 2-dimensional");
  if (!is_vector(targets)) return invalid("targets must be 1-dimensional");
  if (predictions.dim(0) != targets.dim(0)) {
    return invalid("First dimension of predictions ", predictions.dim(0), " must match length of targets ",
                   targets.dim(0));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> in_top_k_v2_k(const KernelContext& context) {
  const Tensor& k = context.input(2);
  if (!is_scalar(k)) return invalid("k must be 0-D, got shape ", k.shape().to_string());
  return int_at(k, 0);
}

absl::Status check_bounds(const KernelContext& context) {
  const Tensor &sorted = context.input(0), &values = context.input(1);
  if (sorted.rank() != 2)
    return invalid("Shape must be rank 2 but is rank ", sorted.rank(), " for `sorted_inputs` argument");
  if (values.rank() != 2)
    return invalid("Shape must be rank 2 but is rank ", values.rank(), " for `values` argument");
  if (sorted.dim(0) != values.dim(0)) return invalid("Leading dim_size of both tensors must match.");
  if (context.output_type(0) == DataType::kInt32 && sorted.dim(1) >= INT32_MAX)
    return invalid("trailing dim_size must less than INT_MAX for int32 output type, was ", sorted.dim(1));
  return absl::OkStatus();
}

}  // namespace troupe
