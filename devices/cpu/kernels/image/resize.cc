#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/dtypes.h"
#include "devices/cpu/kernels/shared/float_elements.h"

namespace troupe {
namespace {

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
absl::StatusOr<Sizes> check(const Tensor& image, const Tensor& size) {
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

/// Up to `N` input pixels along one axis and their weights.
template <size_t N>
struct Taps {
  std::array<int64_t, N> at;
  std::array<float, N> weight;
};

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

/// Weighted sums over rows and columns of taps.
template <size_t N>
void interpolate(ParallelRunner& runner, const Sizes& s, const std::vector<Taps<N>>& rows,
                 const std::vector<Taps<N>>& cols, const float* in, float* out) {
  runner.parallel_for(s.batch * s.rows, s.cols * s.channels * static_cast<int64_t>(N) * 2,
                      [&](int64_t begin, int64_t end) {
                        std::vector<float> line(static_cast<size_t>(s.in_cols * s.channels));
                        for (int64_t r = begin; r < end; ++r) {
                          const float* image = in + r / s.rows * s.in_rows * s.in_cols * s.channels;
                          const Taps<N>& row = rows[static_cast<size_t>(r % s.rows)];
                          // One line of the input's width, then the line narrowed or widened.
                          std::fill(line.begin(), line.end(), 0.0f);
                          for (size_t k = 0; k < N; ++k) {
                            const float* from = image + row.at[k] * s.in_cols * s.channels;
                            const float w = row.weight[k];
                            if (w == 0) continue;
                            for (size_t i = 0; i < line.size(); ++i) line[i] += w * from[i];
                          }
                          float* to = out + r * s.cols * s.channels;
                          for (int64_t x = 0; x < s.cols; ++x, to += s.channels) {
                            const Taps<N>& col = cols[static_cast<size_t>(x)];
                            std::fill_n(to, s.channels, 0.0f);
                            for (size_t k = 0; k < N; ++k) {
                              const float* from = line.data() + col.at[k] * s.channels;
                              const float w = col.weight[k];
                              if (w == 0) continue;
                              for (int64_t c = 0; c < s.channels; ++c) to[c] += w * from[c];
                            }
                          }
                        }
                      });
}

/// Each output pixel from N rows and N columns around it.
template <int N, std::vector<Taps<N>> (*taps)(const ResizeAttrs&, int64_t, int64_t)>
class InterpolateKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check(context.input(0), context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    std::vector<float> store;
    const float* in = as_floats(context.input(0), &store);
    if (out->num_elements() == 0) return absl::OkStatus();
    interpolate<N>(context.parallel(), s, taps(attrs_, s.in_rows, s.rows), taps(attrs_, s.in_cols, s.cols),
                   in, out->flat<float>().data());
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

/// The stretch of input pixels that output pixel i covers, with the share of each.
struct Stretch {
  int64_t first;
  std::vector<float> weight;
};

std::vector<Stretch> area_stretches(float scale, int64_t out) {
  std::vector<Stretch> stretches(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const float begin = static_cast<float>(i) * scale, end = static_cast<float>(i + 1) * scale;
    Stretch& s = stretches[static_cast<size_t>(i)];
    s.first = static_cast<int64_t>(std::floor(begin));
    const auto last = static_cast<int64_t>(std::ceil(end));
    for (int64_t p = s.first; p < last; ++p) {
      const auto left = static_cast<float>(p), right = static_cast<float>(p + 1);
      s.weight.push_back(left < begin ? (right > end ? scale : right - begin)
                                      : (right > end ? end - left : 1.0f));
    }
  }
  return stretches;
}

class ResizeAreaKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check(context.input(0), context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    std::vector<float> store;
    const float* in = as_floats(context.input(0), &store);
    if (out->num_elements() == 0) return absl::OkStatus();
    float row_scale = attrs_.scale(s.in_rows, s.rows), col_scale = attrs_.scale(s.in_cols, s.cols);
    // With aligned corners one pixel is spread over all: each takes it whole.
    if (row_scale == 0) row_scale = 1;
    if (col_scale == 0) col_scale = 1;
    const std::vector<Stretch> rows = area_stretches(row_scale, s.rows),
                               cols = area_stretches(col_scale, s.cols);
    const float share = 1.0f / (row_scale * col_scale);
    float* to = out->flat<float>().data();
    context.parallel().parallel_for(
        s.batch * s.rows, s.cols * s.channels * 8, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            const float* image = in + r / s.rows * s.in_rows * s.in_cols * s.channels;
            const Stretch& row = rows[static_cast<size_t>(r % s.rows)];
            for (int64_t x = 0; x < s.cols; ++x) {
              const Stretch& col = cols[static_cast<size_t>(x)];
              float* pixel = to + (r * s.cols + x) * s.channels;
              std::fill_n(pixel, s.channels, 0.0f);
              for (size_t i = 0; i < row.weight.size(); ++i) {
                const int64_t y = std::clamp<int64_t>(row.first + static_cast<int64_t>(i), 0, s.in_rows - 1);
                for (size_t j = 0; j < col.weight.size(); ++j) {
                  const int64_t at =
                      std::clamp<int64_t>(col.first + static_cast<int64_t>(j), 0, s.in_cols - 1);
                  const float w = row.weight[i] * col.weight[j] * share;
                  const float* from = image + (y * s.in_cols + at) * s.channels;
                  for (int64_t c = 0; c < s.channels; ++c) pixel[c] += w * from[c];
                }
              }
            }
          }
        });
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

/// Nearest neighbours are copied without a look at the dtype.
class ResizeNearestKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& image = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check(image, context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    if (out->num_elements() == 0) return absl::OkStatus();
    const float row_scale = attrs_.scale(s.in_rows, s.rows), col_scale = attrs_.scale(s.in_cols, s.cols);
    const size_t pixel = static_cast<size_t>(s.channels) * dtype_size(image.dtype());
    const char* from = static_cast<const char*>(image.raw());
    char* to = static_cast<char*>(out->raw());
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t y = 0; y < s.rows; ++y) {
        const int64_t row = b * s.in_rows + attrs_.nearest(y, row_scale, s.in_rows);
        for (int64_t x = 0; x < s.cols; ++x, to += pixel) {
          const int64_t at = row * s.in_cols + attrs_.nearest(x, col_scale, s.in_cols);
          std::memcpy(to, from + static_cast<size_t>(at) * pixel, pixel);
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

/// ResizeNearestNeighborGrad: sums each gradient into the pixel that it was copied from.
template <class T>
class ResizeNearestGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    using Sum = std::conditional_t<std::is_integral_v<T>, uint32_t,
                                   std::conditional_t<std::is_same_v<T, double>, double, float>>;
    const Tensor& grad = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check(grad, context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    std::vector<Sum> sum(static_cast<size_t>(out->num_elements()), Sum(0));
    const float row_scale = attrs_.scale(s.rows, s.in_rows), col_scale = attrs_.scale(s.cols, s.in_cols);
    const T* from = grad.flat<T>().data();
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t y = 0; y < s.in_rows; ++y) {
        const int64_t row = b * s.rows + attrs_.nearest(y, row_scale, s.rows);
        for (int64_t x = 0; x < s.in_cols; ++x, from += s.channels) {
          Sum* to = sum.data() + (row * s.cols + attrs_.nearest(x, col_scale, s.cols)) * s.channels;
          for (int64_t c = 0; c < s.channels; ++c) to[c] += static_cast<Sum>(from[c]);
        }
      }
    }
    std::span<T> to = out->flat<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(sum[i]);
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

/// ResizeBilinearGrad (N = 2) and ResizeBicubicGrad (N = 4): float gradients spread over the pixels they came from.
template <size_t N>
class ResizeGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &grad = context.input(0), &image = context.input(1);
    if (grad.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("input_grad must be 4-dimensional", grad.shape().to_string()));
    }
    if (image.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("original_image must be 4-dimensional", image.shape().to_string()));
    }
    if (grad.dim(0) != image.dim(0) || grad.dim(3) != image.dim(3)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input_grad and original_image must agree in batch and channels: ", grad.shape().to_string(),
          " vs. ", image.shape().to_string()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, image.shape()));
    std::vector<double> sum(static_cast<size_t>(out->num_elements()), 0.0);
    const int64_t rows = grad.dim(1), cols = grad.dim(2), in_rows = image.dim(1), in_cols = image.dim(2),
                  channels = grad.dim(3);
    if (grad.num_elements() > 0 && !sum.empty()) {
      std::vector<Taps<N>> row_taps, col_taps;
      if constexpr (N == 2) {
        row_taps = linear_taps(attrs_, in_rows, rows);
        col_taps = linear_taps(attrs_, in_cols, cols);
      } else {
        row_taps = cubic_taps(attrs_, in_rows, rows);
        col_taps = cubic_taps(attrs_, in_cols, cols);
      }
      const float* from = grad.flat<float>().data();
      for (int64_t b = 0; b < grad.dim(0); ++b) {
        double* image_sum = sum.data() + b * in_rows * in_cols * channels;
        for (const Taps<N>& row : row_taps) {
          for (const Taps<N>& col : col_taps) {
            for (size_t i = 0; i < N; ++i) {
              for (size_t j = 0; j < N; ++j) {
                double* to = image_sum + (row.at[i] * in_cols + col.at[j]) * channels;
                const float y_weight = row.weight[i], x_weight = col.weight[j];
                for (int64_t c = 0; c < channels; ++c)
                  to[c] += static_cast<double>(from[c] * y_weight * x_weight);
              }
            }
            from += channels;
          }
        }
      }
    }
    store_floats(sum, out);
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

}  // namespace

void register_image_resize(KernelRegistry* r) {
  using D = DataType;
  r->add(KernelDef("ResizeBilinear").types("T", image_dtypes()).kernel<InterpolateKernel<2, linear_taps>>());
  r->add(KernelDef("ResizeBicubic").types("T", image_dtypes()).kernel<InterpolateKernel<4, cubic_taps>>());
  r->add(KernelDef("ResizeArea").types("T", image_dtypes()).kernel<ResizeAreaKernel>());
  r->add(KernelDef("ResizeNearestNeighbor").types("T", image_dtypes()).kernel<ResizeNearestKernel>());
  r->add(KernelDef("ResizeBilinearGrad")
             .types("T", {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16})
             .kernel<ResizeGradKernel<2>>());
  r->add(KernelDef("ResizeBicubicGrad").types("T", {D::kFloat, D::kDouble}).kernel<ResizeGradKernel<4>>());
  const char* nearest = "ResizeNearestNeighborGrad";
  r->add(KernelDef(nearest).type<float>("T").kernel<ResizeNearestGradKernel<float>>());
  r->add(KernelDef(nearest).type<double>("T").kernel<ResizeNearestGradKernel<double>>());
  r->add(KernelDef(nearest).type<Eigen::half>("T").kernel<ResizeNearestGradKernel<Eigen::half>>());
  r->add(KernelDef(nearest).type<Eigen::bfloat16>("T").kernel<ResizeNearestGradKernel<Eigen::bfloat16>>());
  r->add(KernelDef(nearest).type<int8_t>("T").kernel<ResizeNearestGradKernel<int8_t>>());
  r->add(KernelDef(nearest).type<uint8_t>("T").kernel<ResizeNearestGradKernel<uint8_t>>());
  r->add(KernelDef(nearest).type<int32_t>("T").kernel<ResizeNearestGradKernel<int32_t>>());
}

}  // namespace troupe
