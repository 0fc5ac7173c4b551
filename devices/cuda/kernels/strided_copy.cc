#include "devices/cuda/kernels/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// The widest load of a thread.
constexpr size_t kWidest = 16;
/// Smaller matrices are not worth a tile.
constexpr int64_t kLeastTransposed = 8;

bool aligned(const void* p, size_t bytes) { return reinterpret_cast<uintptr_t>(p) % bytes == 0; }
bool even(int64_t v) { return v % 2 == 0; }

}  // namespace

std::string by_size(absl::string_view base, size_t element_bytes) {
  return absl::StrCat(base, "_", element_bytes);
}

WideRuns widest_runs(DataType dtype, int64_t run, std::initializer_list<const void*> pointers) {
  WideRuns wide{dtype_size(dtype), run};
  while (wide.element < kWidest && wide.run > 0 && even(wide.run) &&
         std::all_of(pointers.begin(), pointers.end(),
                     [&](const void* p) { return aligned(p, 2 * wide.element); })) {
    wide.element *= 2;
    wide.run /= 2;
  }
  return wide;
}

void StridedCopy::add(int64_t size, int64_t from_stride, int64_t to_stride) {
  if (size == 1) return;
  if (size == 0) elements_ = 0;
  if (elements_ == 0) return;
  elements_ *= size;
  if (count_ > 0) {
    Axis& last = axes_[count_ - 1];
    if (last.from == from_stride * size && last.to == to_stride * size) {
      last = {last.size * size, from_stride, to_stride};
      return;
    }
  }
  axes_[count_++] = {size, from_stride, to_stride};
}

bool StridedCopy::widen(size_t element, const void* from, const void* to) {
  if (count_ == 0 || !aligned(from, 2 * element) || !aligned(to, 2 * element)) return false;
  const Axis& last = axes_[count_ - 1];
  if (last.from != 1 || last.to != 1 || !even(last.size)) return false;
  for (int i = 0; i < count_ - 1; ++i) {
    if (!even(axes_[i].from) || !even(axes_[i].to)) return false;
  }
  for (int i = 0; i < count_ - 1; ++i) {
    axes_[i].from /= 2;
    axes_[i].to /= 2;
  }
  axes_[count_ - 1].size /= 2;
  if (axes_[count_ - 1].size == 1) --count_;
  elements_ /= 2;
  return true;
}

bool StridedCopy::transposes(TransposePlan* plan) const {
  if (count_ < 2 || count_ - 2 > CopyAxes::kMax) return false;
  const Axis& row = axes_[count_ - 1];
  if (row.to != 1 || row.from == 1 || row.size < kLeastTransposed) return false;
  int col = -1;
  for (int i = 0; i < count_ - 1; ++i) {
    if (axes_[i].from == 1 && axes_[i].size >= kLeastTransposed) col = i;
  }
  if (col < 0) return false;
  *plan = {};
  plan->rows = row.size;
  plan->cols = axes_[col].size;
  plan->from_row = row.from;
  plan->to_col = axes_[col].to;
  for (int i = 0; i < count_ - 1; ++i) {
    if (i == col) continue;
    const int r = plan->batch.rank++;
    plan->batch.sizes[r] = axes_[i].size;
    plan->batch.from[r] = axes_[i].from;
    plan->batch.to[r] = axes_[i].to;
  }
  return true;
}

absl::Status StridedCopy::enqueue_axes(KernelContext& c, size_t element, const char* from, char* to) const {
  if (count_ > CopyAxes::kMax) {
    // A copy for each position along the outermost axis.
    StridedCopy inner = *this;
    std::copy(axes_ + 1, axes_ + count_, inner.axes_);
    inner.count_ = count_ - 1;
    inner.elements_ = elements_ / axes_[0].size;
    const auto step = static_cast<int64_t>(element);
    for (int64_t i = 0; i < axes_[0].size; ++i) {
      TROUPE_RETURN_IF_ERROR(
          inner.enqueue_axes(c, element, from + i * axes_[0].from * step, to + i * axes_[0].to * step));
    }
    return absl::OkStatus();
  }
  return with_element(element, [&]<class T>(T) {
    const T* source = reinterpret_cast<const T*>(from);
    T* destination = reinterpret_cast<T*>(to);
    if (TransposePlan plan; transposes(&plan)) {
      const auto tiles = [](int64_t n) { return (n + kTransposeTile - 1) / kTransposeTile; };
      const int64_t matrices = elements_ / (plan.rows * plan.cols);
      return enqueue_blocks(c, by_size("transpose_tiles", element),
                            matrices * tiles(plan.rows) * tiles(plan.cols), plan, source, destination,
                            matrices);
    }
    CopyAxes axes = {};
    axes.rank = count_;
    for (int i = 0; i < count_; ++i) {
      axes.sizes[i] = axes_[i].size;
      axes.from[i] = axes_[i].from;
      axes.to[i] = axes_[i].to;
    }
    return troupe::enqueue(c, by_size("copy_axes", element), elements_, axes, source, destination, elements_);
  });
}

absl::Status StridedCopy::enqueue(KernelContext& c, DataType dtype, const void* from, void* to) const {
  if (elements_ == 0) return absl::OkStatus();
  size_t element = dtype_size(dtype);
  if (count_ == 0 || (count_ == 1 && axes_[0].from == 1 && axes_[0].to == 1)) {
    return enqueue_copy(c, from, to, static_cast<size_t>(elements_) * element);
  }
  StridedCopy wide = *this;
  while (element < kWidest && wide.widen(element, from, to)) element *= 2;
  return wide.enqueue_axes(c, element, static_cast<const char*>(from), static_cast<char*>(to));
}

absl::Status enqueue_axes(KernelContext& c, const Tensor& from, int64_t start, std::span<const BoxAxis> axes,
                          Tensor* to) {
  StridedCopy copy;
  for (const BoxAxis& a : axes) copy.add(a.size, a.from, a.to);
  return copy.enqueue(c, from.dtype(), element_at(from, start), to->raw());
}

namespace {

/// Joins or splits; the pieces go into as many launches as they need.
absl::Status enqueue_pieces(KernelContext& c, DataType dtype, int64_t rows, std::span<const Piece> pieces,
                            char* whole, bool splits) {
  size_t element = dtype_size(dtype);
  int64_t scale = 1, row = 0;
  for (const Piece& p : pieces) row += p.count;
  while (element < kWidest && aligned(whole, 2 * element) &&
         std::all_of(pieces.begin(), pieces.end(),
                     [&](const Piece& p) { return even(p.count / scale) && aligned(p.data, 2 * element); })) {
    element *= 2;
    scale *= 2;
  }
  row /= scale;
  const std::string kernel = by_size(splits ? "split_pieces" : "join_pieces", element);
  int64_t first = 0;
  for (size_t begin = 0; begin < pieces.size(); begin += JoinedPieces::kMax) {
    JoinedPieces args = {};
    args.count = static_cast<int32_t>(std::min<size_t>(JoinedPieces::kMax, pieces.size() - begin));
    for (int i = 0; i < args.count; ++i) {
      args.pieces[i] = pieces[begin + static_cast<size_t>(i)].data;
      args.starts[i + 1] = args.starts[i] + pieces[begin + static_cast<size_t>(i)].count / scale;
    }
    const int64_t width = args.starts[args.count];
    TROUPE_RETURN_IF_ERROR(with_element(element, [&]<class T>(T) {
      return troupe::enqueue(c, kernel, rows * width, args, reinterpret_cast<T*>(whole), row, first,
                             rows * width);
    }));
    first += width;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status enqueue_join(KernelContext& c, DataType dtype, int64_t rows, std::span<const Piece> pieces,
                          void* whole) {
  return enqueue_pieces(c, dtype, rows, pieces, static_cast<char*>(whole), false);
}

absl::Status enqueue_split(KernelContext& c, DataType dtype, int64_t rows, std::span<const Piece> pieces,
                           const void* whole) {
  return enqueue_pieces(c, dtype, rows, pieces, const_cast<char*>(static_cast<const char*>(whole)), true);
}

absl::Status enqueue_fill(KernelContext& c, DataType dtype, const void* host_value, void* to, int64_t count) {
  const size_t element = dtype_size(dtype);
  return with_element(element, [&]<class T>(T value) {
    std::memcpy(&value, host_value, sizeof(T));
    return troupe::enqueue(c, by_size("fill", element), count, value, static_cast<T*>(to), count);
  });
}

absl::Status enqueue_fill_from(KernelContext& c, DataType dtype, const void* value, void* to, int64_t count) {
  const size_t element = dtype_size(dtype);
  return with_element(element, [&]<class T>(T) {
    return troupe::enqueue(c, by_size("fill_from", element), count, static_cast<const T*>(value),
                           static_cast<T*>(to), count);
  });
}

}  // namespace troupe
