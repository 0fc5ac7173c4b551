// Elements that move: boxes, transpositions, rows joined and split, fills, rolls, reversals.
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

/// The offsets of position i of a box.
TROUPE_DEVICE void locate(const CopyAxes& axes, int64_t i, int64_t* from, int64_t* to) {
  for (int d = axes.rank - 1; d >= 0; --d) {
    const int64_t at = d == 0 ? i : take_coordinate(&i, axes.sizes[d]);
    *from += at * axes.from[d];
    *to += at * axes.to[d];
  }
}

template <class T>
TROUPE_DEVICE_ONLY void copy_axes(const CopyAxes& axes, const T* from, T* to, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t source = 0, destination = 0;
    locate(axes, i, &source, &destination);
    to[destination] = from[source];
  }
}

/// A tile is read along the source's rows and written along the destination's.
template <class T>
TROUPE_DEVICE_ONLY void transpose_tiles(const TransposePlan& plan, const T* from, T* to, int64_t matrices) {
  // A column more, so that the elements of one lie in different banks.
  TROUPE_SHARED(T, tile, kTransposeTile * (kTransposeTile + 1));
  const int64_t row_tiles = (plan.rows + kTransposeTile - 1) / kTransposeTile;
  const int64_t col_tiles = (plan.cols + kTransposeTile - 1) / kTransposeTile;
  TROUPE_FOR_BLOCKS(block, matrices * row_tiles * col_tiles) {
    int64_t matrix = block;
    const int64_t col = take_coordinate(&matrix, col_tiles) * kTransposeTile;
    const int64_t row = take_coordinate(&matrix, row_tiles) * kTransposeTile;
    int64_t source = 0, destination = 0;
    locate(plan.batch, matrix, &source, &destination);
    TROUPE_FOR_THREADS(k, kTransposeTile * kTransposeTile) {
      const int64_t r = k / kTransposeTile, c = k % kTransposeTile;
      if (row + r < plan.rows && col + c < plan.cols) {
        tile[r * (kTransposeTile + 1) + c] = from[source + (row + r) * plan.from_row + col + c];
      }
    }
    block_sync();
    TROUPE_FOR_THREADS(k, kTransposeTile * kTransposeTile) {
      const int64_t c = k / kTransposeTile, r = k % kTransposeTile;
      if (row + r < plan.rows && col + c < plan.cols) {
        to[destination + (col + c) * plan.to_col + row + r] = tile[r * (kTransposeTile + 1) + c];
      }
    }
    block_sync();
  }
}

/// Which piece has element `at` of a row.
TROUPE_DEVICE int piece_of(const JoinedPieces& p, int64_t at) {
  int low = 0, high = p.count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (p.starts[middle] <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class T, bool kSplits>
TROUPE_DEVICE_ONLY void move_pieces(const JoinedPieces& p, T* whole, int64_t row, int64_t first, int64_t n) {
  const int64_t width = p.starts[p.count];
  TROUPE_FOR_EACH(i, n) {
    int64_t r = i;
    const int64_t at = take_coordinate(&r, width);
    const int k = piece_of(p, at);
    T* piece = static_cast<T*>(p.pieces[k]) + r * (p.starts[k + 1] - p.starts[k]) + at - p.starts[k];
    T* element = whole + r * row + first + at;
    if (kSplits) {
      *piece = *element;
    } else {
      *element = *piece;
    }
  }
}

template <class T>
TROUPE_DEVICE_ONLY void roll(const RollAxes& axes, const T* from, T* to, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i, source = 0, stride = 1;
    for (int d = axes.rank - 1; d >= 0; --d) {
      int64_t at = take_coordinate(&rest, axes.sizes[d]) - axes.shifts[d];
      if (at < 0) at += axes.sizes[d];
      source += at * stride;
      stride *= axes.sizes[d];
    }
    to[i] = from[source];
  }
}

/// Lengths outside of [0, steps] count as the nearer of the two.
template <class T, class Length>
TROUPE_DEVICE_ONLY void reverse_sequence(const T* from, const Length* lengths, T* to, int64_t steps,
                                         int64_t step_stride, int64_t batch, int64_t batch_stride,
                                         int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    const int64_t step = i / step_stride % steps;
    int64_t length = static_cast<int64_t>(lengths[i / batch_stride % batch]);
    if (length > steps) length = steps;
    const int64_t at = step < length ? length - 1 - step : step;
    to[i] = from[i + (at - step) * step_stride];
  }
}

template <class T>
TROUPE_DEVICE_ONLY void conjugate(complex_t<T>* x, int64_t n) {
  TROUPE_FOR_EACH(i, n) { x[i] = conj(x[i]); }
}

}  // namespace
}  // namespace troupe::launchable

using namespace troupe;  // NOLINT: kernels are written at the top

#define TROUPE_MOVES(size, T)                                                                               \
  TROUPE_KERNEL(copy_axes_##size, (CopyAxes axes, const T* from, T* to, int64_t n)) {                       \
    copy_axes(axes, from, to, n);                                                                           \
  }                                                                                                         \
  TROUPE_KERNEL(transpose_tiles_##size, (TransposePlan plan, const T* from, T* to, int64_t matrices)) {     \
    transpose_tiles(plan, from, to, matrices);                                                              \
  }                                                                                                         \
  TROUPE_KERNEL(join_pieces_##size, (JoinedPieces p, T * whole, int64_t row, int64_t first, int64_t n)) {   \
    move_pieces<T, false>(p, whole, row, first, n);                                                         \
  }                                                                                                         \
  TROUPE_KERNEL(split_pieces_##size, (JoinedPieces p, T * whole, int64_t row, int64_t first, int64_t n)) {  \
    move_pieces<T, true>(p, whole, row, first, n);                                                          \
  }                                                                                                         \
  TROUPE_KERNEL(fill_##size, (T value, T * to, int64_t n)) {                                                \
    TROUPE_FOR_EACH(i, n) { to[i] = value; }                                                                \
  }                                                                                                         \
  TROUPE_KERNEL(fill_from_##size, (const T* value, T* to, int64_t n)) {                                     \
    TROUPE_FOR_EACH(i, n) { to[i] = *value; }                                                               \
  }                                                                                                         \
  TROUPE_KERNEL(roll_##size, (RollAxes axes, const T* from, T* to, int64_t n)) { roll(axes, from, to, n); } \
  TROUPE_KERNEL(reverse_sequence_##size##_i32,                                                              \
                (const T* from, const int32_t* lengths, T* to, int64_t steps, int64_t step_stride,          \
                 int64_t batch, int64_t batch_stride, int64_t n)) {                                         \
    reverse_sequence(from, lengths, to, steps, step_stride, batch, batch_stride, n);                        \
  }                                                                                                         \
  TROUPE_KERNEL(reverse_sequence_##size##_i64,                                                              \
                (const T* from, const int64_t* lengths, T* to, int64_t steps, int64_t step_stride,          \
                 int64_t batch, int64_t batch_stride, int64_t n)) {                                         \
    reverse_sequence(from, lengths, to, steps, step_stride, batch, batch_stride, n);                        \
  }
TROUPE_EACH_SIZE(TROUPE_MOVES)

#define TROUPE_CONJUGATE(suffix, T) \
  TROUPE_KERNEL(conjugate_##suffix, (T * x, int64_t n)) { conjugate(x, n); }
TROUPE_EACH_COMPLEX(TROUPE_CONJUGATE)
