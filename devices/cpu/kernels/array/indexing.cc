#include "devices/cpu/kernels/array/indexing.h"

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {

std::string index_text(const Tensor& indices, int64_t row) {
  int64_t depth = indices.rank() > 0 ? indices.dim(indices.rank() - 1) : 1;
  std::string text;
  for (int64_t k = 0; k < depth; ++k)
    absl::StrAppend(&text, k > 0 ? ", " : "", int_at(indices, row * depth + k));
  return text;
}

int64_t flatten_indices(const Tensor& indices, const Shape& shape, int depth, int64_t* flat) {
  int64_t n =
      depth == 0 ? count_dims(indices.shape(), 0, indices.rank() - 1) : indices.num_elements() / depth;
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = 0;
    for (int k = 0; k < depth; ++k) {
      int64_t v = int_at(indices, i * depth + k);
      if (v < 0 || v >= shape.dim(k)) return i;
      at = at * shape.dim(k) + v;
    }
    flat[i] = at;
  }
  return -1;
}

}  // namespace troupe
