#include "devices/common/image/resize.h"

#include <limits>

#include "absl/strings/str_cat.h"

namespace troupe {

absl::StatusOr<Sizes> check_sizes(const Tensor& image, const Tensor& size) {
  if (image.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("input must be 4-dimensional", image.shape().to_string()));
  }
  if (size.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape_t must be 1-dimensional", size.shape().to_string()));
  }
  if (size.dim(0) != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape_t must have two elements", size.shape().to_string()));
  }
  auto wanted = size.flat<int32_t>();
  if (wanted[0] <= 0 || wanted[1] <= 0)
    return absl::InvalidArgumentError("output dimensions must be positive");
  if (image.dim(1) <= 0 || image.dim(2) <= 0) {
    return absl::InvalidArgumentError("input image must be of non-zero size");
  }
  Sizes s{image.dim(0), image.dim(1), image.dim(2), image.dim(3), wanted[0], wanted[1], {}};
  TROUPE_ASSIGN_OR_RETURN(s.out, Shape::make({{s.batch, s.rows, s.cols, s.channels}}));
  return s;
}

std::vector<Taps<2>> linear_taps(const ResizeAttrs& a, int64_t in, int64_t out) {
  const float s = a.scale(in, out);
  std::vector<Taps<2>> taps(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const float at = a.position(i, s), low = std::floor(at);
    Taps<2>& t = taps[static_cast<size_t>(i)];
    t.at = {std::clamp<int64_t>(static_cast<int64_t>(low), 0, in - 1),
            std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, in - 1)};
    t.weight = {1 - (at - low), at - low};
  }
  return taps;
}

namespace {

/// The cubic kernel at distances of steps of 1/1024, as TensorFlow tabulates it: for each step the weight of the near
/// and of the far neighbour.
constexpr int64_t kCubicSteps = 1024;
std::vector<float> cubic_table(double a) {
  std::vector<float> table(static_cast<size_t>((kCubicSteps + 1) * 2));
  for (int64_t i = 0; i <= kCubicSteps; ++i) {
    auto x = static_cast<float>(i) / static_cast<float>(kCubicSteps);
    table[static_cast<size_t>(i * 2)] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
    x += 1.0f;
    table[static_cast<size_t>(i * 2 + 1)] = static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
  }
  return table;
}

}  // namespace

std::vector<Taps<4>> cubic_taps(const ResizeAttrs& a, int64_t in, int64_t out) {
  static const auto* legacy = new std::vector<float>(cubic_table(-0.75));
  static const auto* keys = new std::vector<float>(cubic_table(-0.5));
  const std::vector<float>& table = a.half_pixel_centers ? *keys : *legacy;
  const float s = a.scale(in, out);
  std::vector<Taps<4>> taps(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const float at = a.position(i, s);
    const auto low = static_cast<int64_t>(std::floor(at));
    const auto step = static_cast<size_t>(std::lrintf((at - static_cast<float>(low)) * kCubicSteps));
    Taps<4>& t = taps[static_cast<size_t>(i)];
    t.weight = {table[step * 2 + 1], table[step * 2], table[(kCubicSteps - step) * 2],
                table[(kCubicSteps - step) * 2 + 1]};
    float sum = 0;
    for (size_t k = 0; k < 4; ++k) {
      const int64_t wanted = low - 1 + static_cast<int64_t>(k);
      t.at[k] = std::clamp<int64_t>(wanted, 0, in - 1);
      // With half pixel centres, what lies outside does not count; else the edge counts again.
      if (a.half_pixel_centers && t.at[k] != wanted) t.weight[k] = 0;
      sum += t.weight[k];
    }
    if (a.half_pixel_centers && std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min()) {
      for (float& w : t.weight) w /= sum;
    }
  }
  return taps;
}

}  // namespace troupe
