#pragma once

#include <cstdint>

// Arguments of the kernels in source/array_*.cu, passed by value. Sizes, strides and positions are counted in elements.

namespace troupe {

/// An element of 16 bytes, where only its size matters.
struct alignas(16) Element16 {
  uint64_t words[2];
};

/// A box of elements on the move: per axis, from the outermost in, a size and the distance between neighbours in the source and in the
/// destination.
struct CopyAxes {
  static constexpr int kMax = 12;
  int32_t rank;
  int64_t sizes[kMax], from[kMax], to[kMax];
};

/// Matrices that are transposed: `rows` neighbour in the destination, `cols` in the source.
struct TransposePlan {
  int64_t rows, cols;
  /// Distance of two rows in the source, of two columns in the destination.
  int64_t from_row, to_col;
  /// One matrix after the other.
  CopyAxes batch;
};
/// Rows and columns of a tile that a block transposes at a time.
inline constexpr int kTransposeTile = 32;

/// Pieces that lie side by side in rows: piece i has the elements [starts[i], starts[i + 1]) of a row.
struct JoinedPieces {
  static constexpr int kMax = 32;
  int32_t count;
  void* pieces[kMax];
  int64_t starts[kMax + 1];
};

/// Per axis the output's size; and the input's with its stride, and where it begins in the output.
struct PadAxes {
  static constexpr int kMax = 8;
  int32_t rank;
  int64_t out[kMax], in[kMax], strides[kMax], before[kMax];
};

/// Per axis a size and how far elements move along it, in [0, size).
struct RollAxes {
  static constexpr int kMax = 8;
  int32_t rank;
  int64_t sizes[kMax], shifts[kMax];
};

/// Space to batch, or back: a position of the image along axis i is at * blocks[i] + block - edges[i].
struct BlockAxes {
  static constexpr int kMax = 4;
  int32_t rank;
  int64_t batch;
  /// Per block dimension.
  int64_t blocks[kMax], edges[kMax];
  /// Of the image, and of what has the blocks in the batch.
  int64_t image[kMax], blocked[kMax];
  /// Elements of what is inside the block dimensions.
  int64_t inner;
};

/// As Band of devices/common/array/band.h.
struct BandArgs {
  int64_t lower, upper, rows, cols, length;
  bool left_above, left_below;
};

/// For each of the first `rank` dimensions of a tensor that is indexed: its size.
struct IndexedDims {
  static constexpr int kMax = 8;
  int32_t rank;
  int64_t sizes[kMax];
};

/// batch x outer x axis x run elements, of which whole runs are picked.
struct GatherArgs {
  int64_t outer, axis, indices, run;
};

}  // namespace troupe
