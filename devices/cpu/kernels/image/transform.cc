#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/dtypes.h"
#include "devices/cpu/kernels/shared/float_elements.h"

namespace troupe {
namespace {

// --- ScaleAndTranslate ---

/// A resampling kernel: its reach on either side and its value at a distance.
struct SampleKernel {
  float radius;
  float (*value)(float);
};

float keys_cubic(float x) {
  x = std::abs(x);
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return ((1.5f * x - 2.5f) * x) * x + 1;
}

float lanczos(float x, float radius) {
  constexpr float kPi = 3.14159265359f;
  x = std::abs(x);
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) / (kPi * kPi * x * x);
}

absl::StatusOr<SampleKernel> sample_kernel(absl::string_view name) {
  if (name == "lanczos1") return SampleKernel{1, [](float x) { return lanczos(x, 1); }};
  if (name == "lanczos3") return SampleKernel{3, [](float x) { return lanczos(x, 3); }};
  if (name == "lanczos5") return SampleKernel{5, [](float x) { return lanczos(x, 5); }};
  if (name == "gaussian") {
    return SampleKernel{
        1.5f, [](float x) { return std::abs(x) >= 1.5f ? 0.0f : std::exp(-x * x / (2 * 0.5f * 0.5f)); }};
  }
  if (name == "box") {
    return SampleKernel{1, [](float x) {
                          x = std::abs(x);
                          return x < 0.5f ? 1.0f : x == 0.5f ? 0.5f : 0.0f;
                        }};
  }
  if (name == "triangle") return SampleKernel{1, [](float x) { return std::max(0.0f, 1 - std::abs(x)); }};
  if (name == "keyscubic") return SampleKernel{2, keys_cubic};
  if (name == "mitchellcubic") {
    return SampleKernel{2, [](float x) {
                          x = std::abs(x);
                          if (x >= 2) return 0.0f;
                          if (x >= 1) return ((-7.0f / 18 * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
                          return ((7.0f / 6 * x - 2) * x) * x + 8.0f / 9;
                        }};
  }
  return absl::InvalidArgumentError(absl::StrCat("Unrecognized kernel type: ", name));
}

/// The input pixels that an output pixel is made of.
struct Span {
  int64_t start = 0;
  std::vector<float> weight;
};

std::vector<Span> make_spans(const SampleKernel& kernel, int64_t out, int64_t in, float scale,
                             float translate, bool antialias) {
  std::vector<Span> spans(static_cast<size_t>(out));
  const float inverse = 1.0f / scale, inverse_translate = -inverse * translate;
  const float kernel_scale = antialias ? std::max(inverse, 1.0f) : 1.0f;
  for (int64_t i = 0; i < out; ++i) {
    Span& s = spans[static_cast<size_t>(i)];
    const float sample = (static_cast<float>(i) + 0.5f) * inverse + inverse_translate;
    if (!(sample >= 0 && sample <= static_cast<float>(in))) continue;
    const float reach = kernel.radius * kernel_scale;
    const auto limit = static_cast<float>(in - 1);
    const auto first = static_cast<int64_t>(std::clamp(std::ceil(sample - reach - 0.5f), 0.0f, limit));
    const auto last = static_cast<int64_t>(std::clamp(std::floor(sample + reach - 0.5f), 0.0f, limit));
    s.start = first;
    float total = 0;
    for (int64_t p = first; p <= last; ++p) {
      const float w = kernel.value((static_cast<float>(p) + 0.5f - sample) / kernel_scale);
      s.weight.push_back(w);
      total += w;
    }
    if (std::abs(total) >= 1000 * std::numeric_limits<float>::min()) {
      for (float& w : s.weight) w /= total;
    }
  }
  return spans;
}

/// ScaleAndTranslate, and its gradient, which is the same sum the other way.
template <bool kGradient>
class ScaleKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string type, c.attr<std::string>("kernel_type"));
    TROUPE_ASSIGN_OR_RETURN(SampleKernel kernel, sample_kernel(type));
    auto k = std::make_unique<ScaleKernel>();
    k->kernel_ = kernel;
    TROUPE_ASSIGN_OR_RETURN(k->antialias_, c.attr<bool>("antialias"));
    return k;
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &first = context.input(0), &second = context.input(1), &scale = context.input(2),
                 &move = context.input(3);
    if (first.rank() != 4)
      return absl::InvalidArgumentError(
          absl::StrCat("input must be 4-dimensional", first.shape().to_string()));
    for (const Tensor* t : {&scale, &move}) {
      if (t->rank() != 1 || t->dim(0) != 2) {
        return absl::InvalidArgumentError(
            absl::StrCat("scale and translation must have two elements", t->shape().to_string()));
      }
    }
    auto s = scale.flat<float>(), m = move.flat<float>();
    if (!(s[0] > 0) || !(s[1] > 0)) return absl::InvalidArgumentError("Scale must be greater than zero.");
    int64_t rows, cols;  // of the scaled image
    Shape image;         // of the image that is scaled
    if constexpr (kGradient) {
      if (second.rank() != 4)
        return absl::InvalidArgumentError(
            absl::StrCat("original_image must be 4-dimensional", second.shape().to_string()));
      if (second.dim(0) != first.dim(0) || second.dim(3) != first.dim(3)) {
        return absl::InvalidArgumentError("grads and original_image must agree in batch and channels");
      }
      image = second.shape();
      rows = first.dim(1);
      cols = first.dim(2);
    } else {
      if (second.rank() != 1 || second.dim(0) != 2) {
        return absl::InvalidArgumentError(
            absl::StrCat("output_size_t must have two elements", second.shape().to_string()));
      }
      rows = second.flat<int32_t>()[0];
      cols = second.flat<int32_t>()[1];
      image = first.shape();
    }
    if (rows <= 0 || cols <= 0) return absl::InvalidArgumentError("output_size must be positive");
    if (image.dim(1) <= 0 || image.dim(2) <= 0)
      return absl::InvalidArgumentError("input image must be of non-zero size");
    TROUPE_ASSIGN_OR_RETURN(Shape scaled, Shape::make({{image.dim(0), rows, cols, image.dim(3)}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, kGradient ? image : scaled));
    std::span<float> to = out->flat<float>();
    std::fill(to.begin(), to.end(), 0.0f);
    // Nothing to make, however many rows it has.
    if (scaled.num_elements() == 0) return absl::OkStatus();
    std::vector<float> store;
    const float* from = as_floats(first, &store);
    const std::vector<Span> row_spans = make_spans(kernel_, rows, image.dim(1), s[0], m[0], antialias_);
    const std::vector<Span> col_spans = make_spans(kernel_, cols, image.dim(2), s[1], m[1], antialias_);
    const int64_t channels = image.dim(3);
    for (int64_t b = 0; b < image.dim(0); ++b) {
      for (int64_t y = 0; y < rows; ++y) {
        const Span& row = row_spans[static_cast<size_t>(y)];
        for (int64_t x = 0; x < cols; ++x) {
          const Span& col = col_spans[static_cast<size_t>(x)];
          const int64_t far = ((b * rows + y) * cols + x) * channels;
          for (size_t i = 0; i < row.weight.size(); ++i) {
            for (size_t j = 0; j < col.weight.size(); ++j) {
              const int64_t near = ((b * image.dim(1) + row.start + static_cast<int64_t>(i)) * image.dim(2) +
                                    col.start + static_cast<int64_t>(j)) *
                                   channels;
              const float w = row.weight[i] * col.weight[j];
              for (int64_t c = 0; c < channels; ++c) {
                if constexpr (kGradient) {
                  to[static_cast<size_t>(near + c)] += w * from[far + c];
                } else {
                  to[static_cast<size_t>(far + c)] += w * from[near + c];
                }
              }
            }
          }
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  SampleKernel kernel_{};
  bool antialias_ = true;
};

// --- ImageProjectiveTransform ---

enum class Fill { kConstant, kReflect, kWrap, kNearest };

/// Maps a coordinate that may lie outside [0, size) by the fill mode.
float map_coordinate(Fill fill, float at, int64_t size) {
  const auto n = static_cast<float>(size);
  switch (fill) {
    case Fill::kConstant: return at;
    case Fill::kNearest: return std::min(std::max(at, 0.0f), n - 1);
    case Fill::kWrap: {
      if (at >= 0 && at <= n - 1) return at;
      if (size <= 1) return 0;
      if (at < 0)
        at += n * (std::trunc(-at / n) + 1);
      else
        at -= n * std::trunc(at / n);
      return std::min(std::max(at, 0.0f), n - 1);
    }
    case Fill::kReflect: {
      if (size <= 1) return 0;
      const float period = 2 * n;
      if (at < 0) {
        if (at < -period) at += period * std::trunc(-at / period);
        at = at < -n ? at + period : -at - 1;
      } else if (at > n - 1) {
        at -= period * std::trunc(at / period);
        if (at >= n) at = period - at - 1;
      }
      return std::min(std::max(at, 0.0f), n - 1);
    }
  }
  return at;
}

template <class T>
class ProjectiveKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string how, c.attr<std::string>("interpolation"));
    if (how != "NEAREST" && how != "BILINEAR")
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid interpolation ", how, ". Supported types: NEAREST, BILINEAR"));
    bilinear_ = how == "BILINEAR";
    std::string fill = c.node().attrs.get_or<std::string>("fill_mode", "CONSTANT");
    if (fill == "REFLECT")
      fill_ = Fill::kReflect;
    else if (fill == "WRAP")
      fill_ = Fill::kWrap;
    else if (fill == "NEAREST")
      fill_ = Fill::kNearest;
    else if (fill != "CONSTANT")
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid mode ", fill, ". Supported types: REFLECT, WRAP, CONSTANT, NEAREST"));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &images = context.input(0), &transforms = context.input(1), &size = context.input(2);
    if (images.rank() != 4) return absl::InvalidArgumentError("Input images must have rank 4");
    if (transforms.rank() != 2 || transforms.dim(1) != 8 ||
        (transforms.dim(0) != 1 && transforms.dim(0) != images.dim(0))) {
      return absl::InvalidArgumentError("Input transform should be num_images x 8 or 1 x 8");
    }
    if (size.rank() != 1 || size.dim(0) != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("output shape must have two elements", size.shape().to_string()));
    }
    const int64_t rows = size.flat<int32_t>()[0], cols = size.flat<int32_t>()[1];
    if (rows <= 0 || cols <= 0) return absl::InvalidArgumentError("output dimensions must be positive");
    float outside = 0;
    if (context.num_inputs() > 3) {
      if (context.input(3).rank() != 0) return absl::InvalidArgumentError("fill_value must be a scalar");
      outside = context.input(3).value<float>();
    }
    const int64_t in_rows = images.dim(1), in_cols = images.dim(2), channels = images.dim(3);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{images.dim(0), rows, cols, channels}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    T* to = out->flat<T>().data();
    const T* all = images.flat<T>().data();
    context.parallel().parallel_for(
        images.dim(0) * rows, cols * channels * 8, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            const int64_t b = r / rows, y = r % rows;
            const float* t = transforms.flat<float>().data() + (transforms.dim(0) == 1 ? 0 : b * 8);
            const T* image = all + b * in_rows * in_cols * channels;
            auto read = [&](float fy, float fx, int64_t c) {
              if (!(fy >= 0 && fy < static_cast<float>(in_rows) && fx >= 0 &&
                    fx < static_cast<float>(in_cols))) {
                return static_cast<float>(static_cast<T>(outside));
              }
              return static_cast<float>(
                  image[(static_cast<int64_t>(fy) * in_cols + static_cast<int64_t>(fx)) * channels + c]);
            };
            for (int64_t x = 0; x < cols; ++x) {
              const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
              const float projection = t[6] * fx + t[7] * fy + 1;
              T* pixel = to + (r * cols + x) * channels;
              if (projection == 0) {
                std::fill_n(pixel, channels, static_cast<T>(outside));
                continue;
              }
              const float ix = map_coordinate(fill_, (t[0] * fx + t[1] * fy + t[2]) / projection, in_cols);
              const float iy = map_coordinate(fill_, (t[3] * fx + t[4] * fy + t[5]) / projection, in_rows);
              for (int64_t c = 0; c < channels; ++c) {
                if (!bilinear_) {
                  const float ry = std::round(iy), rx = std::round(ix);
                  const bool inside = ry >= 0 && ry < static_cast<float>(in_rows) && rx >= 0 &&
                                      rx < static_cast<float>(in_cols);
                  pixel[c] =
                      inside
                          ? image[(static_cast<int64_t>(ry) * in_cols + static_cast<int64_t>(rx)) * channels +
                                  c]
                          : static_cast<T>(outside);
                  continue;
                }
                const float y0 = std::floor(iy), x0 = std::floor(ix), y1 = y0 + 1, x1 = x0 + 1;
                const float above = (x1 - ix) * read(y0, x0, c) + (ix - x0) * read(y0, x1, c);
                const float below = (x1 - ix) * read(y1, x0, c) + (ix - x0) * read(y1, x1, c);
                pixel[c] = static_cast<T>((y1 - iy) * above + (iy - y0) * below);
              }
            }
          }
        });
    return absl::OkStatus();
  }

 private:
  bool bilinear_ = false;
  Fill fill_ = Fill::kConstant;
};

// --- ExtractGlimpse ---

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

template <class T>
void add_projective(KernelRegistry* r) {
  for (const char* op : {"ImageProjectiveTransformV2", "ImageProjectiveTransformV3"}) {
    r->add(KernelDef(op).type<T>("dtype").template kernel<ProjectiveKernel<T>>());
  }
}

}  // namespace

void register_image_transform(KernelRegistry* r) {
  r->add(KernelDef("ScaleAndTranslate").types("T", image_dtypes()).kernel<ScaleKernel<false>>());
  r->add(KernelDef("ScaleAndTranslateGrad").type<float>("T").kernel<ScaleKernel<true>>());
  add_projective<uint8_t>(r);
  add_projective<int32_t>(r);
  add_projective<int64_t>(r);
  add_projective<Eigen::half>(r);
  add_projective<Eigen::bfloat16>(r);
  add_projective<float>(r);
  add_projective<double>(r);
  r->add(KernelDef("ExtractGlimpse").kernel<GlimpseKernel<false>>());
  r->add(KernelDef("ExtractGlimpseV2").kernel<GlimpseKernel<true>>());
}

}  // namespace troupe
