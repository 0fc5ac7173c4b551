#include "devices/common/array/stitch_shape.h"

#include <algorithm>

#include "devices/common/array_values.h"

namespace troupe {

std::string position_text(const Shape& shape, int64_t flat) {
  if (shape.rank() == 0) return "";
  std::string text;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    text = absl::StrCat(flat % shape.dim(i), text.empty() ? "" : ",", text);
    flat /= shape.dim(i);
  }
  return absl::StrCat("[", text, "]");
}

namespace {

bool starts_with(const Shape& shape, const Shape& prefix) {
  if (shape.rank() < prefix.rank()) return false;
  for (int i = 0; i < prefix.rank(); ++i) {
    if (shape.dim(i) != prefix.dim(i)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Shape> stitched_shape(const KernelContext& context) {
  int n = context.num_inputs() / 2;
  const Tensor& first_data = context.input(n);
  const Tensor& first_indices = context.input(0);
  int64_t rows = 0;
  for (int k = 0; k < n; ++k) {
    const Tensor& indices = context.input(k);
    const Tensor& data = context.input(n + k);
    if (!starts_with(data.shape(), indices.shape())) {
      return invalid("data[", k, "].shape = ", data.shape().to_string(), " does not start with indices[", k,
                     "].shape = ", indices.shape().to_string());
    }
    bool same = data.rank() - indices.rank() == first_data.rank() - first_indices.rank();
    for (int i = indices.rank(); same && i < data.rank(); ++i) {
      same = data.dim(i) == first_data.dim(i - indices.rank() + first_indices.rank());
    }
    if (!same) {
      return invalid("Need data[0].shape[", first_indices.rank(), ":] = data[", k, "].shape[", indices.rank(),
                     ":], got data[0].shape = ", first_data.shape().to_string(), ", data[", k,
                     "].shape = ", data.shape().to_string(),
                     ", indices[0].shape = ", first_indices.shape().to_string(), ", indices[", k,
                     "].shape = ", indices.shape().to_string());
    }
    auto index = indices.flat<int32_t>();
    for (size_t i = 0; i < index.size(); ++i) {
      if (index[i] < 0) {
        return invalid("indices", position_text(indices.shape(), static_cast<int64_t>(i)),
                       " is out of range");
      }
      rows = std::max<int64_t>(rows, int64_t{index[i]} + 1);
    }
  }
  Indices dims = {rows};
  for (int i = first_indices.rank(); i < first_data.rank(); ++i) dims.push_back(first_data.dim(i));
  return Shape::make({dims.data(), dims.size()});
}

}  // namespace troupe
