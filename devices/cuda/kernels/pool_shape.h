#pragma once

#include <cstdint>

namespace troupe {

/// A pooling as kernels are told it: images of channels-last pixels in three spatial dimensions; channels-first images are many of one
/// channel.
struct PoolShape {
  int64_t images = 0, channels = 0;
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  /// Padding before the first pixel.
  int64_t before[3] = {0, 0, 0};
  /// More than 1: the maximum of so many neighbouring channels, and of one pixel.
  int64_t depth_window = 1;
};

}  // namespace troupe
