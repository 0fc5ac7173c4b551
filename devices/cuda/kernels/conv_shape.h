#pragma once

#include <cstdint>

namespace troupe {

/// A convolution as kernels are told it: always of three spatial dimensions. The filter is [taps, in_channels / groups, out_channels].
struct ConvShape {
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t dilation[3] = {1, 1, 1};
  /// Padding before the first pixel.
  int64_t before[3] = {0, 0, 0};
  bool channels_last = true;
};

}  // namespace troupe
