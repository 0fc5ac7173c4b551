#pragma once

#include <algorithm>
#include <cstdint>

#include "devices/kernel.h"

namespace troupe {

/// Diagonals [lower, upper] of matrices of rows x cols, and how shorter ones lie in their rows of `length` elements.
struct Band {
  int64_t lower = 0, upper = 0, rows = 0, cols = 0, length = 0;
  bool left_above = true, left_below = true;

  int64_t diagonals() const { return upper - lower + 1; }
  int64_t length_of(int64_t d) const {
    return std::min(rows + std::min<int64_t>(0, d), cols - std::max<int64_t>(0, d));
  }
  int64_t offset_of(int64_t d) const {
    bool left = (d >= 0 && left_above) || (d <= 0 && left_below);
    return left ? 0 : length - length_of(d);
  }
};

/// The band that an op of the MatrixDiag family means, and the shape of its output.
struct BandResult {
  Band band;
  Shape shape;
};

/// Reads the attr `align` of a node that has one.
absl::Status read_alignment(const KernelConstruction& c, Band* band);

/// What MatrixDiag, MatrixDiagPart and MatrixSetDiag (all versions: by the number of inputs) are asked for. Scalars, diagonal indices
/// and sizes are in the host's memory. InvalidArgument with TensorFlow's words.
absl::StatusOr<BandResult> matrix_diag_band(const KernelContext& context, Band band);
absl::StatusOr<BandResult> matrix_diag_part_band(const KernelContext& context, Band band);
absl::StatusOr<BandResult> matrix_set_diag_band(const KernelContext& context, Band band);

/// What MatrixBandPart keeps: diagonals [-lower, upper], all below or above where that is negative.
struct BandPart {
  int64_t lower = 0, upper = 0;
};
absl::StatusOr<BandPart> read_band_part(const KernelContext& context);

}  // namespace troupe
