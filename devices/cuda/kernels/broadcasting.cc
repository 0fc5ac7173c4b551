#include "devices/cuda/kernels/broadcasting.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace troupe {

std::optional<Shape> common_shape(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  absl::InlinedVector<int64_t, 8> dims(static_cast<size_t>(rank));
  int64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank());
    const int ib = i - (rank - b.rank());
    const int64_t da = ia < 0 ? 1 : a.dim(ia);
    const int64_t db = ib < 0 ? 1 : b.dim(ib);
    if (da != db && da != 1 && db != 1) return std::nullopt;
    const int64_t size = da == 1 ? db : da;
    dims[static_cast<size_t>(i)] = size;
    if (size == 0) continue;
    if (elements > std::numeric_limits<int64_t>::max() / size) return std::nullopt;
    elements *= size;
  }
  return Shape(std::span<const int64_t>(dims.data(), dims.size()));
}

bool plan_broadcast(const Shape& out, std::span<const Shape* const> operands, int32_t* rank, int64_t* sizes, int64_t* strides,
                    int max_rank) {
  struct Dim {
    int64_t size;
    absl::InlinedVector<int64_t, 4> stride;
  };
  const size_t n = operands.size();
  // From the innermost dimension outwards.
  absl::InlinedVector<Dim, 8> dims;
  absl::InlinedVector<int64_t, 4> elements(n, 1);
  for (int i = out.rank() - 1; i >= 0; --i) {
    Dim d{out.dim(i), absl::InlinedVector<int64_t, 4>(n)};
    for (size_t k = 0; k < n; ++k) {
      const int j = i - (out.rank() - operands[k]->rank());
      const int64_t own = j < 0 ? 1 : operands[k]->dim(j);
      d.stride[k] = own == 1 && d.size != 1 ? 0 : elements[k];
      elements[k] *= own;
    }
    if (d.size == 1) continue;
    bool merge = !dims.empty();
    for (size_t k = 0; merge && k < n; ++k) merge = d.stride[k] == dims.back().stride[k] * dims.back().size;
    if (merge) {
      dims.back().size *= d.size;
    } else {
      dims.push_back(std::move(d));
    }
  }
  if (dims.empty()) dims.push_back({1, absl::InlinedVector<int64_t, 4>(n, 1)});
  if (static_cast<int>(dims.size()) > max_rank) return false;
  *rank = static_cast<int32_t>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim& d = dims[dims.size() - 1 - i];
    sizes[i] = d.size;
    for (size_t k = 0; k < n; ++k) strides[k * static_cast<size_t>(max_rank) + i] = d.stride[k];
  }
  return true;
}

}  // namespace troupe
