#include "devices/common/matmul/product_shapes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

absl::Status sizes_differ(const Shape& a, const Shape& b, absl::string_view tail = "") {
  return absl::InvalidArgumentError(
      absl::StrCat("Matrix size-incompatible: In[0]: ", a.to_string(), ", In[1]: ", b.to_string(), tail));
}

/// Fills in the batch dimensions of `plan`. False when they do not fit.
bool broadcast_batches(const Shape& x, const Shape& y, BatchPlan* plan) {
  const int rank = std::max(x.rank(), y.rank()) - 2;
  plan->x_dims.assign(static_cast<size_t>(rank), 1);
  plan->y_dims = plan->x_dims;
  std::vector<int64_t> dims;
  for (int i = 0; i < rank; ++i) {
    const int xi = i - (rank - (x.rank() - 2)), yi = i - (rank - (y.rank() - 2));
    int64_t& xs = plan->x_dims[static_cast<size_t>(i)];
    int64_t& ys = plan->y_dims[static_cast<size_t>(i)];
    if (xi >= 0) xs = x.dim(xi);
    if (yi >= 0) ys = y.dim(yi);
    if (xs != ys && xs != 1 && ys != 1) return false;
    dims.push_back(xs == 1 ? ys : xs);
  }
  dims.push_back(plan->m);
  dims.push_back(plan->n);
  auto shape = Shape::make(dims);
  if (!shape.ok()) return false;
  plan->out = *std::move(shape);
  plan->batches = plan->out.num_elements(0, rank);
  return true;
}

}  // namespace

absl::StatusOr<ProductShape> product_shape(const Shape& a, bool transpose_a, const Shape& b,
                                           bool transpose_b) {
  if (a.rank() != 2) return absl::InvalidArgumentError("In[0] ndims must be >= 2");
  if (b.rank() != 2) return absl::InvalidArgumentError("In[1] ndims must be >= 2");
  const ProductShape p = {a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1), a.dim(transpose_a ? 0 : 1)};
  if (p.k != b.dim(transpose_b ? 1 : 0)) return sizes_differ(a, b);
  return p;
}

absl::StatusOr<BatchPlan> plan_batches(const Shape& x, const Shape& y, bool adj_x, bool adj_y,
                                       bool broadcasts) {
  const std::string shapes_vs = absl::StrCat(x.to_string(), broadcasts ? " vs. " : " vs ", y.to_string());
  if (!broadcasts && x.rank() != y.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("In[0] and In[1] has different ndims: ", x.to_string(), " vs. ", y.to_string()));
  }
  if (x.rank() < 2) return absl::InvalidArgumentError(absl::StrCat("In[0] ndims must be >= 2: ", x.rank()));
  if (y.rank() < 2) return absl::InvalidArgumentError(absl::StrCat("In[1] ndims must be >= 2: ", y.rank()));
  if (!broadcasts) {
    for (int i = 0; i + 2 < x.rank(); ++i) {
      if (x.dim(i) == y.dim(i)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("In[0].dim(", i, ") and In[1].dim(", i, ") must be the same: ", shapes_vs));
    }
  }
  BatchPlan plan;
  const int xr = x.rank(), yr = y.rank();
  plan.m = x.dim(adj_x ? xr - 1 : xr - 2);
  plan.k = x.dim(adj_x ? xr - 2 : xr - 1);
  plan.n = y.dim(adj_y ? yr - 2 : yr - 1);
  if (!broadcast_batches(x, y, &plan)) {
    return absl::InvalidArgumentError(
        absl::StrCat("In[0] and In[1] must have compatible batch dimensions: ", shapes_vs));
  }
  if (plan.k != y.dim(adj_y ? yr - 1 : yr - 2)) {
    return sizes_differ(x, y, absl::StrCat(" ", adj_x ? 1 : 0, " ", adj_y ? 1 : 0));
  }
  return plan;
}

}  // namespace troupe
