#include "devices/cpu/loops/broadcast.h"

#include <algorithm>

namespace troupe {

bool broadcast_shape(const Shape& a, const Shape& b, Shape* out) {
  const int rank = std::max(a.rank(), b.rank());
  absl::InlinedVector<int64_t, 8> dims(rank);
  int64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    int ia = i - (rank - a.rank());
    int ib = i - (rank - b.rank());
    int64_t da = ia < 0 ? 1 : a.dim(ia);
    int64_t db = ib < 0 ? 1 : b.dim(ib);
    if (da != db && da != 1 && db != 1) return false;
    dims[i] = da == 1 ? db : da;
    if (dims[i] == 0) continue;
    if (multiply_overflows(elements, dims[i], &elements)) return false;
  }
  *out = Shape(std::span<const int64_t>(dims.data(), dims.size()));
  return true;
}

BroadcastWalk::BroadcastWalk(const Shape& out, std::initializer_list<const Shape*> operands)
    : num_operands_(static_cast<int>(operands.size())) {
  int64_t stride[kMaxOperands] = {1, 1, 1};
  // From the innermost dimension outwards; dims_ is turned round at the end.
  for (int i = out.rank() - 1; i >= 0; --i) {
    const int64_t size = out.dim(i);
    Dim d{size, {0, 0, 0}};
    int k = 0;
    for (const Shape* s : operands) {
      int j = i - (out.rank() - s->rank());
      int64_t own = j < 0 ? 1 : s->dim(j);
      d.stride[k] = own == 1 && size != 1 ? 0 : stride[k];
      stride[k] *= own;
      ++k;
    }
    if (size == 1) continue;
    if (!dims_.empty()) {
      Dim& inner = dims_.back();
      bool merge = true;
      for (k = 0; k < num_operands_; ++k) merge &= d.stride[k] == inner.stride[k] * inner.size;
      if (merge) {
        inner.size *= size;
        continue;
      }
    }
    dims_.push_back(d);
  }
  if (dims_.empty()) dims_.push_back(Dim{1, {1, 1, 1}});
  std::reverse(dims_.begin(), dims_.end());
  for (size_t i = 0; i + 1 < dims_.size(); ++i) num_rows_ *= dims_[i].size;
  if (row() == 0) num_rows_ = 0;
}

bool BroadcastWalk::is_whole(int k) const {
  int64_t stride = 1;
  for (auto d = dims_.rbegin(); d != dims_.rend(); stride *= d->size, ++d) {
    if (d->stride[k] != stride) return false;
  }
  return true;
}

bool BroadcastWalk::is_one_row(int k) const {
  return std::all_of(dims_.begin(), dims_.end() - 1, [k](const Dim& d) { return d.stride[k] == 0; });
}

}  // namespace troupe
