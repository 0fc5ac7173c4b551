// Elements with others around them: paddings, mirrored borders and their gradients, blocks of space, diagonals.
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

template <class T>
TROUPE_DEVICE_ONLY void pad(const PadAxes& axes, T value, const T* from, T* to, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i, source = 0;
    bool inside = true;
    for (int d = axes.rank - 1; d >= 0; --d) {
      const int64_t at = take_coordinate(&rest, axes.out[d]) - axes.before[d];
      inside = inside && at >= 0 && at < axes.in[d];
      source += at * axes.strides[d];
    }
    to[i] = inside ? from[source] : value;
  }
}

/// `offset` is 1 when the border itself is not repeated.
template <class T>
TROUPE_DEVICE_ONLY void mirror_pad(const PadAxes& axes, int64_t offset, const T* from, T* to, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i, source = 0;
    for (int d = axes.rank - 1; d >= 0; --d) {
      int64_t at = take_coordinate(&rest, axes.out[d]) - axes.before[d];
      if (at < 0) {
        at = offset - 1 - at;
      } else if (at >= axes.in[d]) {
        at = 2 * axes.in[d] - 1 - offset - at;
      }
      source += at * axes.strides[d];
    }
    to[i] = from[source];
  }
}

/// Adds the mirrored borders before and behind the middle `size` of an axis to where they came from, in place: first the one before.
template <class T>
TROUPE_DEVICE_ONLY void fold_mirrored(T* data, int64_t before, int64_t size, int64_t after, int64_t run,
                                      int64_t offset, int64_t n) {
  using C = compute_t<T>;
  const int64_t full = before + size + after;
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i;
    const int64_t k = take_coordinate(&rest, run);
    const int64_t at = take_coordinate(&rest, size);
    T* line = data + rest * full * run + k;
    T sum = line[(before + at) * run];
    const int64_t ahead = before - 1 - at + offset, behind = before + 2 * size - 1 - offset - at;
    if (ahead >= 0 && ahead < before)
      sum = static_cast<T>(static_cast<C>(sum) + static_cast<C>(line[ahead * run]));
    if (behind >= before + size && behind < full) {
      sum = static_cast<T>(static_cast<C>(sum) + static_cast<C>(line[behind * run]));
    }
    line[(before + at) * run] = sum;
  }
}

template <class T, bool kToBatch>
TROUPE_DEVICE_ONLY void move_blocks(const BlockAxes& axes, const T* from, T* to, int64_t n) {
  // Over the output: what has the blocks in the batch, or the image.
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i;
    const int64_t inner = take_coordinate(&rest, axes.inner);
    int64_t at[BlockAxes::kMax];
    for (int d = axes.rank - 1; d >= 0; --d)
      at[d] = take_coordinate(&rest, kToBatch ? axes.blocked[d] : axes.image[d]);
    const int64_t batch = take_coordinate(&rest, axes.batch);
    int64_t block = rest;  // of the output when it has blocks; else put together below
    int64_t source = batch, block_stride = 1;
    bool inside = true;
    if (kToBatch) {
      int64_t image[BlockAxes::kMax];
      for (int d = axes.rank - 1; d >= 0; --d) {
        image[d] = at[d] * axes.blocks[d] + take_coordinate(&block, axes.blocks[d]) - axes.edges[d];
        inside = inside && image[d] >= 0 && image[d] < axes.image[d];
      }
      for (int d = 0; d < axes.rank; ++d) source = source * axes.image[d] + image[d];
    } else {
      block = 0;
      int64_t blocked[BlockAxes::kMax];
      for (int d = axes.rank - 1; d >= 0; --d) {
        int64_t padded = at[d] + axes.edges[d];
        block += take_coordinate(&padded, axes.blocks[d]) * block_stride;
        block_stride *= axes.blocks[d];
        blocked[d] = padded;
      }
      source += block * axes.batch;
      for (int d = 0; d < axes.rank; ++d) source = source * axes.blocked[d] + blocked[d];
    }
    to[i] = inside ? from[source * axes.inner + inner] : T{};
  }
}

TROUPE_DEVICE int64_t length_of(const BandArgs& b, int64_t d) {
  const int64_t rows = d < 0 ? b.rows + d : b.rows, cols = d > 0 ? b.cols - d : b.cols;
  return rows < cols ? rows : cols;
}
TROUPE_DEVICE int64_t offset_of(const BandArgs& b, int64_t d) {
  const bool left = (d >= 0 && b.left_above) || (d <= 0 && b.left_below);
  const int64_t offset = left ? 0 : b.length - length_of(b, d);
  return offset > 0 ? offset : 0;
}

/// Matrices with the diagonals of `diagonal`; elsewhere the elements of `other`, or `*value`, or zero bytes.
template <class T>
TROUPE_DEVICE_ONLY void set_diagonals(const BandArgs& b, const T* diagonal, const T* other, T value, T* to,
                                      int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t matrix = i;
    const int64_t col = take_coordinate(&matrix, b.cols), row = take_coordinate(&matrix, b.rows),
                  d = col - row;
    T result = other != nullptr ? other[i] : value;
    if (d >= b.lower && d <= b.upper) {
      const int64_t at = row < col ? row : col;
      if (at < b.length) {
        result = diagonal[(matrix * (b.upper - b.lower + 1) + b.upper - d) * b.length + at + offset_of(b, d)];
      }
    }
    to[i] = result;
  }
}

template <class T>
TROUPE_DEVICE_ONLY void get_diagonals(const BandArgs& b, const T* from, T value, T* to, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i;
    const int64_t at = take_coordinate(&rest, b.length);
    const int64_t d = b.upper - take_coordinate(&rest, b.upper - b.lower + 1);
    const int64_t along = at - offset_of(b, d);
    const bool inside = along >= 0 && along < length_of(b, d);
    const int64_t row = along + (d < 0 ? -d : 0), col = along + (d > 0 ? d : 0);
    to[i] = inside ? from[(rest * b.rows + row) * b.cols + col] : value;
  }
}

/// Negative `lower` or `upper`: all diagonals on that side.
template <class T>
TROUPE_DEVICE_ONLY void band_part(const T* from, T* to, int64_t rows, int64_t cols, int64_t lower,
                                  int64_t upper, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i;
    const int64_t col = take_coordinate(&rest, cols), row = take_coordinate(&rest, rows);
    const bool kept = (lower < 0 || row - col <= lower) && (upper < 0 || col - row <= upper);
    to[i] = kept ? from[i] : T{};
  }
}

}  // namespace
}  // namespace troupe::launchable

using namespace troupe;  // NOLINT: kernels are written at the top

#define TROUPE_SURROUND(size, T)                                                                      \
  TROUPE_KERNEL(pad_##size, (PadAxes axes, T value, const T* from, T* to, int64_t n)) {               \
    pad(axes, value, from, to, n);                                                                    \
  }                                                                                                   \
  TROUPE_KERNEL(mirror_pad_##size, (PadAxes axes, int64_t offset, const T* from, T* to, int64_t n)) { \
    mirror_pad(axes, offset, from, to, n);                                                            \
  }                                                                                                   \
  TROUPE_KERNEL(space_to_batch_##size, (BlockAxes axes, const T* from, T* to, int64_t n)) {           \
    move_blocks<T, true>(axes, from, to, n);                                                          \
  }                                                                                                   \
  TROUPE_KERNEL(batch_to_space_##size, (BlockAxes axes, const T* from, T* to, int64_t n)) {           \
    move_blocks<T, false>(axes, from, to, n);                                                         \
  }                                                                                                   \
  TROUPE_KERNEL(set_diagonals_##size,                                                                 \
                (BandArgs band, const T* diagonal, const T* other, T value, T* to, int64_t n)) {      \
    set_diagonals(band, diagonal, other, value, to, n);                                               \
  }                                                                                                   \
  TROUPE_KERNEL(get_diagonals_##size, (BandArgs band, const T* from, T value, T* to, int64_t n)) {    \
    get_diagonals(band, from, value, to, n);                                                          \
  }                                                                                                   \
  TROUPE_KERNEL(band_part_##size, (const T* from, T* to, int64_t rows, int64_t cols, int64_t lower,   \
                                   int64_t upper, int64_t n)) {                                       \
    band_part(from, to, rows, cols, lower, upper, n);                                                 \
  }
TROUPE_EACH_SIZE(TROUPE_SURROUND)

#define TROUPE_FOLD_MIRRORED(suffix, T)                                                                      \
  TROUPE_KERNEL(fold_mirrored_##suffix, (T * data, int64_t before, int64_t size, int64_t after, int64_t run, \
                                         int64_t offset, int64_t n)) {                                       \
    fold_mirrored(data, before, size, after, run, offset, n);                                                \
  }
TROUPE_EACH_FLOAT(TROUPE_FOLD_MIRRORED)
TROUPE_EACH_COMPLEX(TROUPE_FOLD_MIRRORED)
// Integers wrap, signed ones as unsigned ones.
TROUPE_FOLD_MIRRORED(u8, uint8_t)
TROUPE_FOLD_MIRRORED(u16, uint16_t)
TROUPE_FOLD_MIRRORED(u32, uint32_t)
TROUPE_FOLD_MIRRORED(u64, uint64_t)
