#include "devices/common/array/gather_plan.h"

#include "devices/common/array_values.h"

namespace troupe {

absl::StatusOr<GatherPlan> plan_gather(const Tensor& params, const Tensor& indices, int64_t axis,
                                       int64_t batch_dims) {
  int rank = params.rank();
  if (rank < 1) return invalid("params must be at least 1 dimensional");
  int64_t min_rank = axis < 0 ? -axis : axis + 1;
  if (rank < min_rank) return invalid("Shape must be at least rank ", min_rank, " but is rank ", rank);
  int64_t given_batch = batch_dims;
  if (batch_dims != 0) {
    if (batch_dims < -indices.rank() || batch_dims > indices.rank()) {
      return invalid("Expected batch_dims in the range [", -indices.rank(), ", ", indices.rank(),
                     "], but got ", given_batch);
    }
    if (batch_dims < 0) batch_dims += indices.rank();
    if (batch_dims >= rank)
      return invalid("batch_dims (", batch_dims, ") must be less than rank(params) (", rank, ").");
  }
  int a = static_cast<int>(axis < 0 ? axis + rank : axis), b = static_cast<int>(batch_dims);
  if (b > a) return invalid("batch_dims (", b, ") must be less than or equal to axis (", a, ").");
  for (int i = 0; i < b; ++i) {
    if (params.dim(i) != indices.dim(i)) {
      return invalid("params.shape[", i, "]: ", params.dim(i), " should be equal to indices.shape[", i,
                     "]: ", indices.dim(i));
    }
  }
  Indices dims(params.shape().dims().begin(), params.shape().dims().begin() + a);
  dims.insert(dims.end(), indices.shape().dims().begin() + b, indices.shape().dims().end());
  dims.insert(dims.end(), params.shape().dims().begin() + a + 1, params.shape().dims().end());
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  GatherPlan plan;
  plan.batch = count_dims(params.shape(), 0, b);
  plan.outer = count_dims(params.shape(), b, a);
  plan.axis = params.dim(a);
  plan.indices = count_dims(indices.shape(), b, indices.rank());
  plan.run = count_dims(params.shape(), a + 1, rank);
  plan.shape = std::move(shape);
  return plan;
}

absl::StatusOr<GatherPlan> plan_gather_nd(const Tensor& params, const Tensor& indices) {
  if (params.rank() < 1) return invalid("params must be at least a vector");
  if (indices.rank() < 1) return invalid("indices must be at least a vector");
  int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > params.rank()) {
    return invalid("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ",
                   params.rank());
  }
  int d = static_cast<int>(depth);
  Shape prefix = indices.shape();
  prefix.remove_dim(prefix.rank() - 1);
  int64_t n = prefix.num_elements();
  Indices dims(prefix.dims().begin(), prefix.dims().end());
  dims.insert(dims.end(), params.shape().dims().begin() + d, params.shape().dims().end());
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  if (n > 0 && params.num_elements() == 0) {
    return invalid("Requested more than 0 entries, but params is empty.  Params shape: ",
                   params.shape().to_string());
  }
  GatherPlan plan;
  plan.axis = count_dims(params.shape(), 0, d);
  plan.indices = n;
  plan.run = count_dims(params.shape(), d, params.rank());
  plan.shape = std::move(shape);
  return plan;
}

}  // namespace troupe
