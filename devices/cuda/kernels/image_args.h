#pragma once

#include <cstdint>

// Arguments of the kernels in source/image*.cu, passed by value.

namespace troupe {

/// Pictures of in_rows x in_cols become rows x cols, `channels` numbers a pixel.
struct ResizeArgs {
  int64_t in_rows, in_cols, rows, cols, channels;
  /// Input pixels per output pixel.
  float row_scale, col_scale;
  bool align_corners, half_pixel_centers;
};

/// Boxes cut out of `batch` pictures of in_rows x in_cols become rows x cols.
struct CropArgs {
  int64_t batch, in_rows, in_cols, rows, cols, channels;
  /// What lies outside of the picture.
  float outside;
  bool nearest;
};

}  // namespace troupe
