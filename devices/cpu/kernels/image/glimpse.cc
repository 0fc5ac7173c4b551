// ExtractGlimpse and its second version.
#include <algorithm>
#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// ExtractGlimpse and V2: windows around given points; what lies outside the image is noise or zero.
template <bool kV2>
class GlimpseKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("centered", &centered_)("normalized", &normalized_)("noise", &noise_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(bool uniform, c.attr<bool>("uniform_noise"));
    if (uniform && noise_ != "uniform" && !noise_.empty()) {
      return absl::InvalidArgumentError(
          "The uniform_noise and noise should not be specified at the same time");
    }
    if (noise_.empty()) noise_ = uniform ? "uniform" : "gaussian";
    if (noise_ != "uniform" && noise_ != "gaussian" && noise_ != "zero") {
      return absl::InvalidArgumentError(
          absl::StrCat("The noise could only be uniform, gaussian, or zero, got", noise_));
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &in = context.input(0), &size = context.input(1), &offsets = context.input(2);
    if (in.rank() != 4)
      return absl::InvalidArgumentError(absl::StrCat(
          "input must be 4-dimensional (batch_size, height, width, depth)", in.shape().to_string()));
    if (size.rank() != 1 || size.dim(0) != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("input must be a vector of size 2 (height, width)", size.shape().to_string()));
    }
    TROUPE_RETURN_IF_ERROR(check_offsets(in, offsets));
    const int64_t rows = size.flat<int32_t>()[0], cols = size.flat<int32_t>()[1];
    if (rows < 0 || cols < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("Expected a non-negative size, got ", std::min(rows, cols)));
    const int64_t in_rows = in.dim(1), in_cols = in.dim(2), channels = in.dim(3);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{in.dim(0), rows, cols, channels}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    float* to = out->flat<float>().data();
    std::mt19937 random(std::random_device{}());
    for (int64_t b = 0; b < in.dim(0); ++b) {
      const float* image = in.flat<float>().data() + b * in_rows * in_cols * channels;
      std::uniform_real_distribution<float> uniform = range_of(image, in_rows * in_cols * channels);
      const int64_t top = place(offsets.flat<float>()[static_cast<size_t>(b * 2)], in_rows, rows);
      const int64_t left = place(offsets.flat<float>()[static_cast<size_t>(b * 2 + 1)], in_cols, cols);
      double sum = 0, squares = 0;
      if (noise_ == "gaussian") {
        const auto count = static_cast<double>(std::max<int64_t>(1, in_rows * in_cols * channels));
        for (int64_t i = 0; i < in_rows * in_cols * channels; ++i) sum += static_cast<double>(image[i]);
        sum /= count;
        for (int64_t i = 0; i < in_rows * in_cols * channels; ++i)
          squares += (image[i] - sum) * (image[i] - sum);
        squares = std::sqrt(squares / count);
      }
      std::normal_distribution<double> normal(sum, std::max(squares, 1e-30));
      for (int64_t y = 0; y < rows; ++y) {
        for (int64_t x = 0; x < cols; ++x, to += channels) {
          const int64_t iy = top + y, ix = left + x;
          if (iy >= 0 && iy < in_rows && ix >= 0 && ix < in_cols) {
            std::copy_n(image + (iy * in_cols + ix) * channels, channels, to);
            continue;
          }
          for (int64_t c = 0; c < channels; ++c) {
            to[c] = noise_ == "zero"      ? 0.0f
                    : noise_ == "uniform" ? uniform(random)
                                          : static_cast<float>(normal(random));
          }
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status check_offsets(const Tensor& in, const Tensor& offsets) {
    const std::string shape = offsets.shape().to_string();
    if (offsets.rank() != 2) return absl::InvalidArgumentError(absl::StrCat("input must be a matrix", shape));
    if (offsets.dim(0) != in.dim(0))
      return absl::InvalidArgumentError(absl::StrCat("first dimension should be batch", shape));
    if (offsets.dim(1) != 2)
      return absl::InvalidArgumentError(absl::StrCat("second dimension should be of size 2 (y,x)", shape));
    return absl::OkStatus();
  }
  /// Uniform noise is of the image's own values, from its smallest to its largest.
  static std::uniform_real_distribution<float> range_of(const float* image, int64_t n) {
    if (n == 0) return std::uniform_real_distribution<float>(0, 1);
    const auto [low, high] = std::minmax_element(image, image + n);
    // Infinities and NaN make no range.
    if (!(*high - *low < std::numeric_limits<float>::infinity()))
      return std::uniform_real_distribution<float>(0, 1);
    return std::uniform_real_distribution<float>(*low, *high);
  }
  /// The first pixel of the window along one axis. Offsets name its middle, but in the second version only those that
  /// are both centered and normalized do.
  int64_t place(float offset, int64_t in, int64_t window) const {
    float x = offset;
    if (normalized_) x *= static_cast<float>(in);
    const bool of_middle = !kV2 || (centered_ && normalized_);
    if (centered_) x = (of_middle ? x / 2 : x) + static_cast<float>(in) / 2;
    if (of_middle) x -= static_cast<float>(window) / 2;
    if (std::isnan(x)) x = 0;
    return static_cast<int64_t>(std::min(1e12f, std::max(-1e12f, x)));
  }

  bool centered_ = true, normalized_ = true;
  std::string noise_;
};

}  // namespace

void register_image_glimpse(KernelRegistry* r) {
  r->add(KernelDef("ExtractGlimpse").kernel<GlimpseKernel<false>>());
  r->add(KernelDef("ExtractGlimpseV2").kernel<GlimpseKernel<true>>());
}

}  // namespace troupe
