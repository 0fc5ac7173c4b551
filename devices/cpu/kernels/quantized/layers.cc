// Normalisation and resizing of quantised images.
#include <algorithm>
#include <cmath>

#include "devices/cpu/kernels/quantized/math.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

class QuantizedInstanceNorm final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("variance_epsilon", &epsilon_)("min_separation", &separation_)("output_range_given", &given_);
  }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(range_.low, c.attr<float>("given_y_min"));
    TROUPE_ASSIGN_OR_RETURN(range_.high, c.attr<float>("given_y_max"));
    if (given_ && !(range_.low < range_.high)) {
      return invalid("given_y_min must be less than given_y_max : ", range_.low, " >= ", range_.high);
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(const float low, range_value(context.input(1), "x_min"));
    TROUPE_ASSIGN_OR_RETURN(const float high, range_value(context.input(2), "x_max"));
    if (!(low < high)) return invalid("input_min must be less than input_max : ", low, " >= ", high);
    if (x.rank() != 4) return invalid("input must be 4-dimensional", x.shape().to_string());
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    const std::vector<float> normed = normalise(x, (high - low) / 255.0f);
    QuantRange range = range_;
    if (!given_) {
      const auto [least, most] = std::minmax_element(normed.begin(), normed.end());
      range = normed.empty() ? QuantRange{} : QuantRange{*least, *most};
    }
    if (range.high - range.low < separation_) range.high = range.low + separation_;
    const std::span<QUInt8> to = out->flat<QUInt8>();
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = quantize<QUInt8>(static_cast<double>(normed[i]), range.low, range.high);
    TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, range.low));
    return set_scalar(context, 2, range.high);
  }

 private:
  /// Each channel of each image less its mean, over its deviation.
  std::vector<float> normalise(const Tensor& x, float scale) const {
    const auto from = x.flat<QUInt8>();
    std::vector<float> all(from.size());
    if (from.empty()) return all;
    const auto depth = static_cast<size_t>(x.dim(3));
    const auto image = static_cast<size_t>(count_dims(x.shape(), 1, 4)), pixels = image / depth;
    for (size_t start = 0; start < from.size(); start += image) {
      for (size_t c = start; c < start + depth; ++c) {
        double sum = 0, squares = 0;
        for (size_t p = 0; p < pixels; ++p) sum += from[c + p * depth].value;
        const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
        for (size_t p = 0; p < pixels; ++p) {
          const float d = scale * (static_cast<float>(from[c + p * depth].value) - mean);
          squares += static_cast<double>(d * d);
          all[c + p * depth] = d;
        }
        const float over =
            1.0f / std::sqrt(static_cast<float>(squares / static_cast<double>(pixels)) + epsilon_);
        for (size_t p = 0; p < pixels; ++p) all[c + p * depth] *= over;
      }
    }
    return all;
  }

  float epsilon_ = 0, separation_ = 0;
  bool given_ = false;
  QuantRange range_;
};

class QuantizedBatchNorm final : public Kernel {
 public:
  /// The range of the output is always the same: 2048 steps are 1.
  static constexpr QuantRange kRange = {-1048576.0f, 1048576.0f};

  void attributes(AttrReader& a) { a("variance_epsilon", &epsilon_)("scale_after_normalization", &scale_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    if (x.rank() != 4) return invalid("input must be 4-dimensional", x.shape().to_string());
    TROUPE_ASSIGN_OR_RETURN(const QuantRange range, read_range(context, 0, "input"));
    static constexpr const char* kNames[] = {"mean", "var", "beta", "gamma"};
    std::vector<float> values[4];
    for (int i = 0; i < 4; ++i) {
      TROUPE_ASSIGN_OR_RETURN(values[i], read_channels(context, 3 * (i + 1), kNames[i], x));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    const size_t depth = values[0].size();
    std::vector<int32_t> scales(depth), offsets(depth);
    for (size_t c = 0; c < depth; ++c) {
      const float scale = 1.0f / std::sqrt(values[1][c] + epsilon_) * (scale_ ? values[3][c] : 1.0f);
      scales[c] = step(scale);
      offsets[c] = step(-values[0][c] * scale + values[2][c]);
    }
    const auto from = x.flat<QUInt8>();
    const std::span<QInt32> to = out->flat<QInt32>();
    const int32_t one = step(1);
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t c = i % depth;
      const auto value = static_cast<uint32_t>(step(dequantize(from[i], range.low, range.high)));
      const auto product = static_cast<int32_t>(value * static_cast<uint32_t>(scales[c]));
      to[i].value =
          static_cast<int32_t>(static_cast<uint32_t>(product / one) + static_cast<uint32_t>(offsets[c]));
    }
    TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, kRange.low));
    return set_scalar(context, 2, kRange.high);
  }

 private:
  static int32_t step(float v) {
    return quantize<QInt32>(static_cast<double>(v), kRange.low, kRange.high).value;
  }

  static absl::StatusOr<QuantRange> read_range(KernelContext& context, int input, absl::string_view name) {
    QuantRange r;
    const Tensor &low = context.input(input + 1), &high = context.input(input + 2);
    if (low.num_elements() != 1) return invalid(name, "_min must have 1 element");
    if (high.num_elements() != 1) return invalid(name, "_max must have 1 element");
    r.low = low.flat<float>()[0];
    r.high = high.flat<float>()[0];
    return r;
  }

  static absl::StatusOr<std::vector<float>> read_channels(KernelContext& context, int input,
                                                          absl::string_view name, const Tensor& x) {
    const Tensor& t = context.input(input);
    if (t.rank() != 1) return invalid(name, " must be 1-dimensional", t.shape().to_string());
    if (t.dim(0) != x.dim(3)) {
      return invalid("Must provide as many ",
                     name == "mean" || name == "var" ? absl::StrCat(name, "s") : name,
                     " as the last dimension of the input tensor: ", t.shape().to_string(), " vs. ",
                     x.shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(const QuantRange range, read_range(context, input, name));
    std::vector<float> all;
    for (const QUInt8 q : t.flat<QUInt8>()) all.push_back(dequantize(q, range.low, range.high));
    return all;
  }

  float epsilon_ = 0;
  bool scale_ = false;
};

/// Between which pixels an output pixel lies along an axis, and where.
struct Between {
  int64_t low = 0, high = 0;
  float share = 0;
};

/// The pixels of one axis.
class Axis {
 public:
  Axis(int64_t in, int64_t out, bool align_corners, bool half_pixel_centers)
      : in_(in), scale_(align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                                 : static_cast<float>(in) / static_cast<float>(out)),
        half_pixel_centers_(half_pixel_centers) {}

  Between at(int64_t i) const {
    const auto pixel = static_cast<float>(i);
    const float x = half_pixel_centers_ ? (pixel + 0.5f) * scale_ - 0.5f : pixel * scale_;
    Between b;
    b.high = std::min(static_cast<int64_t>(std::ceil(x)), in_ - 1);
    b.low = std::min(std::max(static_cast<int64_t>(std::floor(x)), int64_t{0}), b.high);
    b.share = x - std::floor(x);
    return b;
  }

 private:
  int64_t in_;
  float scale_;
  bool half_pixel_centers_;
};

/// Blends in fixed point: so many bits behind the point. Floats are blended as they are.
template <class T>
struct Blend;
template <>
struct Blend<float> {
  static float between(float a, float b, float share) { return a + (b - a) * share; }
  static float at(float a, float b, float c, float d, float x, float y) {
    return between(between(a, b, x), between(c, d, x), y);
  }
};
template <class Q, int kBits>
struct FixedBlend {
  static constexpr int64_t kOne = int64_t{1} << kBits;
  /// By way of a float, as in TensorFlow: wide steps lose their last bits.
  static int64_t whole(Q q) { return static_cast<int64_t>(static_cast<float>(q.value)); }
  static int64_t line(Q a, Q b, int64_t share) { return whole(a) * kOne + (whole(b) - whole(a)) * share; }
  static Q at(Q a, Q b, Q c, Q d, float x, float y) {
    const auto sx = static_cast<int64_t>(x * static_cast<float>(kOne)),
               sy = static_cast<int64_t>(y * static_cast<float>(kOne));
    const int64_t top = line(a, b, sx), bottom = line(c, d, sx);
    const int64_t v = top + (bottom - top) / kOne * sy;
    return Q{static_cast<QuantStorage<Q>>((v + kOne / 2) / kOne)};
  }
};
template <>
struct Blend<QUInt8> : FixedBlend<QUInt8, 7> {};
template <>
struct Blend<QInt32> : FixedBlend<QInt32, 30> {};

template <class T>
class QuantizedResize final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("align_corners", &align_corners_)("half_pixel_centers", &half_pixel_centers_);
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor &in = context.input(0), &size = context.input(1);
    if (context.input(2).rank() != 0) return invalid("min must be a scalar");
    if (context.input(3).rank() != 0) return invalid("max must be a scalar");
    if (in.rank() != 4) return invalid("input must be 4-dimensional", in.shape().to_string());
    if (size.rank() != 1) return invalid("shape_t must be 1-dimensional", size.shape().to_string());
    if (size.num_elements() != 2) return invalid("shape_t must have two elements", size.shape().to_string());
    const int64_t height = size.flat<int32_t>()[0], width = size.flat<int32_t>()[1];
    if (height <= 0 || width <= 0) return invalid("output dimensions must be positive");
    if (in.dim(1) == 0 || in.dim(2) == 0) return invalid("input image must be of non-zero size");
    TROUPE_ASSIGN_OR_RETURN(const Shape shape, Shape::make({{in.dim(0), height, width, in.dim(3)}}));
    if (shape == in.shape()) {
      context.forward_input(0, 0);
    } else {
      TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
      if (out->num_elements() > 0) resize(in, out);
    }
    TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, context.input(2).flat<float>()[0]));
    return set_scalar(context, 2, context.input(3).flat<float>()[0]);
  }

 private:
  void resize(const Tensor& in, Tensor* out) const {
    const Axis rows(in.dim(1), out->dim(1), align_corners_, half_pixel_centers_),
        columns(in.dim(2), out->dim(2), align_corners_, half_pixel_centers_);
    const int64_t depth = in.dim(3), row = in.dim(2) * depth;
    const T* image = in.flat<T>().data();
    T* to = out->flat<T>().data();
    for (int64_t b = 0; b < in.dim(0); ++b, image += in.dim(1) * row) {
      for (int64_t i = 0; i < out->dim(1); ++i) {
        const Between y = rows.at(i);
        const T *top = image + y.low * row, *bottom = image + y.high * row;
        for (int64_t j = 0; j < out->dim(2); ++j) {
          const Between x = columns.at(j);
          const int64_t l = x.low * depth, h = x.high * depth;
          for (int64_t c = 0; c < depth; ++c)
            *to++ = Blend<T>::at(top[l + c], top[h + c], bottom[l + c], bottom[h + c], x.share, y.share);
        }
      }
    }
  }

  bool align_corners_ = false, half_pixel_centers_ = false;
};

}  // namespace

void register_quantized_layers(KernelRegistry* r) {
  r->add(KernelDef("QuantizedInstanceNorm").type<QUInt8>("T").kernel<QuantizedInstanceNorm>());
  r->add(KernelDef("QuantizedBatchNormWithGlobalNormalization")
             .type<QUInt8>("Tinput")
             .type<QInt32>("out_type")
             .kernel<QuantizedBatchNorm>());
  r->add(KernelDef("QuantizedResizeBilinear").type<QUInt8>("T").kernel<QuantizedResize<QUInt8>>());
  r->add(KernelDef("QuantizedResizeBilinear").type<QInt32>("T").kernel<QuantizedResize<QInt32>>());
  r->add(KernelDef("QuantizedResizeBilinear").type<float>("T").kernel<QuantizedResize<float>>());
}

}  // namespace troupe
