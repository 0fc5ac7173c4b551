#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "devices/kernel.h"

namespace troupe {

/// What the ops that resize pictures, and their gradients, are asked for.
struct ResizeAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;

  static absl::StatusOr<ResizeAttrs> make(const KernelConstruction& c) {
    ResizeAttrs a;
    TROUPE_ASSIGN_OR_RETURN(a.align_corners, c.attr<bool>("align_corners"));
    a.half_pixel_centers = c.node().attrs.get_or<bool>("half_pixel_centers", false);
    if (a.align_corners && a.half_pixel_centers) {
      return absl::InvalidArgumentError("If half_pixel_centers is True, align_corners must be False.");
    }
    return a;
  }
  /// Input pixels per output pixel.
  float scale(int64_t in, int64_t out) const {
    return align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                    : static_cast<float>(in) / static_cast<float>(out);
  }
  /// Where output pixel x lies in the input.
  float position(int64_t x, float s) const {
    return half_pixel_centers ? (static_cast<float>(x) + 0.5f) * s - 0.5f : static_cast<float>(x) * s;
  }
  int64_t nearest(int64_t x, float s, int64_t in) const {
    const float at = half_pixel_centers ? (static_cast<float>(x) + 0.5f) * s : static_cast<float>(x) * s;
    const auto i = static_cast<int64_t>(align_corners ? std::round(at) : std::floor(at));
    return std::clamp<int64_t>(i, 0, in - 1);
  }
};

struct Sizes {
  int64_t batch, in_rows, in_cols, channels, rows, cols;
  Shape out;
};

/// Checks an image tensor and the int32 pair `size`.
absl::StatusOr<Sizes> check_sizes(const Tensor& image, const Tensor& size);

/// Up to `N` input pixels along one axis and their weights.
template <size_t N>
struct Taps {
  std::array<int64_t, N> at;
  std::array<float, N> weight;
};

std::vector<Taps<2>> linear_taps(const ResizeAttrs& a, int64_t in, int64_t out);
std::vector<Taps<4>> cubic_taps(const ResizeAttrs& a, int64_t in, int64_t out);

}  // namespace troupe
