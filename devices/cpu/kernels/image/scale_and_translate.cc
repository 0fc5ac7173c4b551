// ScaleAndTranslate and its gradient.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/dtypes.h"
#include "devices/cpu/kernels/shared/float_elements.h"

namespace troupe {
namespace {

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

}  // namespace

void register_image_scale_and_translate(KernelRegistry* r) {
  r->add(KernelDef("ScaleAndTranslate").types("T", image_dtypes()).kernel<ScaleKernel<false>>());
  r->add(KernelDef("ScaleAndTranslateGrad").type<float>("T").kernel<ScaleKernel<true>>());
}

}  // namespace troupe
