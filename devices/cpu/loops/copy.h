#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "devices/device.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// A box of elements on the move: per axis a size and the distance, in elements, between neighbours in the source
/// and in the destination. Axes are added from the outermost of the destination to the innermost; those that are
/// contiguous on both sides melt together. Strides may be negative (reversal) or, in the source, 0 (repetition).
class Box {
 public:
  struct Axis {
    int64_t size;
    int64_t from;
    int64_t to;
  };
  /// Axes longer than one element; a tensor has fewer than 2^63 elements, so that 62 are enough.
  static constexpr int kMaxAxes = 63;

  void add(int64_t size, int64_t from_stride, int64_t to_stride) {
    if (size == 1) return;
    if (size == 0) {
      elements_ = 0;
      return;
    }
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
  int64_t elements() const { return elements_; }
  absl::Span<const Axis> axes() const { return {axes_, static_cast<size_t>(count_)}; }

 private:
  Axis axes_[kMaxAxes];
  int count_ = 0;
  int64_t elements_ = 1;
};

/// Copies a box of elements of `dtype`; the destination's elements are constructed ones (empty strings at least) and
/// do not overlap the source. Near memory speed, transpositions included; parallel when it is worth it.
void copy_box(ParallelRunner& runner, DataType dtype, const Box& box, const void* from, void* to);

/// Copies `count` neighbouring elements, in parallel when they are many.
void copy_flat(ParallelRunner& runner, DataType dtype, const void* from, void* to, int64_t count);

/// Writes `count` copies of the one element at `value`.
void fill_flat(ParallelRunner& runner, DataType dtype, const void* value, void* to, int64_t count);

/// Zero bytes: numbers 0, strings, handles and variants empty.
void fill_zero(ParallelRunner& runner, DataType dtype, void* to, int64_t count);

/// A run of elements that concat_rows reads: `count` elements per row, row after row.
struct ConcatPiece {
  const void* from;
  int64_t count;
};

/// Writes `rows` rows, each made of the next run of every piece.
void concat_rows(ParallelRunner& runner, DataType dtype, int64_t rows, absl::Span<const ConcatPiece> pieces,
                 void* to);

/// The address of element `offset` of a tensor.
inline const void* element_at(const Tensor& t, int64_t offset) {
  return static_cast<const char*>(t.raw()) + offset * static_cast<int64_t>(dtype_size(t.dtype()));
}
inline void* element_at(Tensor& t, int64_t offset) {
  return static_cast<char*>(t.raw()) + offset * static_cast<int64_t>(dtype_size(t.dtype()));
}

}  // namespace troupe
