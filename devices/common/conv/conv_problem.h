#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace troupe {

/// A convolution of two or three spatial dimensions as TensorFlow sees it: filter [spatial..., in / groups, out].
/// No extent may be zero, and every output position must agree with extents, strides, dilations and padding.
struct ConvProblem {
  int64_t spatial_rank = 2;
  /// Images are [batch, spatial..., channels] or [batch, channels, spatial...].
  int64_t channels_last = 1;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  std::array<int64_t, 3> in = {1, 1, 1};
  std::array<int64_t, 3> out = {1, 1, 1};
  std::array<int64_t, 3> kernel = {1, 1, 1};
  std::array<int64_t, 3> stride = {1, 1, 1};
  /// 1: dense, as TensorFlow counts.
  std::array<int64_t, 3> dilation = {1, 1, 1};
  std::array<int64_t, 3> pad_before = {0, 0, 0};
  std::array<int64_t, 3> pad_after = {0, 0, 0};

  friend bool operator==(const ConvProblem&, const ConvProblem&) = default;
  template <class H>
  friend H AbslHashValue(H h, const ConvProblem& p) {
    return H::combine(std::move(h), p.spatial_rank, p.channels_last, p.batch, p.in_channels, p.out_channels,
                      p.groups, p.in, p.out, p.kernel, p.stride, p.dilation, p.pad_before, p.pad_after);
  }
  int64_t in_image() const { return in[0] * in[1] * in[2] * in_channels; }
  int64_t out_image() const { return out[0] * out[1] * out[2] * out_channels; }
  int64_t filter_size() const {
    return kernel[0] * kernel[1] * kernel[2] * (in_channels / groups) * out_channels;
  }
  /// Multiplications and additions of one image.
  double flops_per_image() const {
    return 2.0 * static_cast<double>(out_image()) * kernel[0] * kernel[1] * kernel[2] *
           (in_channels / groups);
  }
};

}  // namespace troupe
