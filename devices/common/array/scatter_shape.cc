#include "devices/common/array/scatter_shape.h"

#include <string>

#include "devices/common/array_values.h"

namespace troupe {

ScatterShape scatter_shape(const Tensor& indices) {
  ScatterShape s;
  if (indices.rank() > 1) {
    s.depth = indices.dim(indices.rank() - 1);
    s.outer = indices.rank() - 1;
  }
  return s;
}

namespace {

bool outer_fits(const ScatterShape& s, const Tensor& indices, const Tensor& updates) {
  if (updates.rank() < s.outer || indices.rank() < s.outer) return false;
  for (int i = 0; i < s.outer; ++i) {
    if (indices.dim(i) != updates.dim(i)) return false;
  }
  return true;
}

bool inner_fits(const ScatterShape& s, const Shape& shape, const Tensor& updates) {
  if (s.depth > shape.rank()) return false;
  int depth = static_cast<int>(s.depth);
  if (updates.rank() - s.outer != shape.rank() - depth) return false;
  for (int i = depth; i < shape.rank(); ++i) {
    if (updates.dim(s.outer + i - depth) != shape.dim(i)) return false;
  }
  return true;
}

/// indices.shape + params.shape[1:], or a scalar.
bool rows_fit(const Tensor& params, const Tensor& indices, const Tensor& updates) {
  if (updates.rank() == 0) return true;
  if (updates.rank() != indices.rank() + params.rank() - 1) return false;
  for (int i = 0; i < updates.rank(); ++i) {
    const int64_t want = i < indices.rank() ? indices.dim(i) : params.dim(i - indices.rank() + 1);
    if (updates.dim(i) != want) return false;
  }
  return true;
}

}  // namespace

absl::Status check_row_scatter(bool is_resource, const Tensor& params, const Tensor& indices,
                               const Tensor& updates) {
  if (params.rank() < 1)
    return invalid("params must be at least 1-D, got shape ", params.shape().to_string());
  if (is_resource && updates.rank() != 0) {
    bool prefix = updates.rank() >= indices.rank();
    for (int i = 0; prefix && i < indices.rank(); ++i) prefix = indices.dim(i) == updates.dim(i);
    if (!prefix) {
      return invalid("The shape of indices (", indices.shape().to_string(),
                     ") must be a prefix of the shape of updates (", updates.shape().to_string(), ")");
    }
  }
  if (!rows_fit(params, indices, updates)) {
    return invalid(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
        "updates.shape ",
        updates.shape().to_string(), ", indices.shape ", indices.shape().to_string(), ", params.shape ",
        params.shape().to_string());
  }
  if (params.dtype() == updates.dtype()) return absl::OkStatus();
  return invalid("DType of scatter resource (", dtype_name(params.dtype()), ") does not match ",
                 dtype_name(updates.dtype()));
}

absl::Status check_scatter_shapes(ScatterWording wording, const Tensor& indices, const Tensor& updates,
                                  const Shape& shape) {
  if (indices.rank() < 1 && wording != ScatterWording::kUpdate) {
    return invalid("Indices shape must have rank at least one. Found:", indices.shape().to_string());
  }
  if (updates.rank() < 1 && wording != ScatterWording::kUpdate) {
    return invalid("Updates shape must have rank at least one. Found:", updates.shape().to_string());
  }
  if (shape.num_elements() == 0 && (indices.num_elements() > 0 || updates.num_elements() > 0)) {
    if (wording == ScatterWording::kTensor)
      return invalid("Indices and updates specified for empty output shape");
    return invalid("Indices and updates specified for empty output.  indices shape: ",
                   indices.shape().to_string());
  }
  ScatterShape s = scatter_shape(indices);
  if (!outer_fits(s, indices, updates)) {
    if (wording == ScatterWording::kTensor) {
      return invalid("Outer dimensions of indices and update must match. Indices shape: ",
                     indices.shape().to_string(), ", updates shape:", updates.shape().to_string());
    }
    return invalid("Dimensions [0,", s.outer, ") of indices[shape=", indices.shape().to_string(),
                   "] must match dimensions [0,", s.outer, ") of updates[shape=", updates.shape().to_string(),
                   "]");
  }
  if (!inner_fits(s, shape, updates)) {
    if (wording == ScatterWording::kTensor) {
      return invalid(
          "Inner dimensions of output shape must match inner dimensions of updates shape. Output: ",
          shape.to_string(), " updates: ", updates.shape().to_string());
    }
    return invalid("Dimensions [", s.depth, ",", shape.rank(), ") of input[shape=", shape.to_string(),
                   "] must match dimensions [", wording == ScatterWording::kUpdate ? s.depth : s.outer, ",",
                   updates.rank(), ") of updates[shape=", updates.shape().to_string(), "]");
  }
  return absl::OkStatus();
}

absl::StatusOr<BadIndices> read_bad_indices_policy(const KernelNode& node) {
  std::string policy = node.attrs.get_or<std::string>("bad_indices_policy", "");
  if (policy.empty() || policy == "DEFAULT") return BadIndices::kDefault;
  if (policy == "ERROR") return BadIndices::kError;
  if (policy == "IGNORE") return BadIndices::kIgnore;
  return invalid("Unknown bad_indices_policy: ", policy);
}

}  // namespace troupe
