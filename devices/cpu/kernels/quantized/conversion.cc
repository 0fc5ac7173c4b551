#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/quantized/math.h"
#include "devices/kernel_registry.h"

namespace troupe {

absl::StatusOr<float> range_value(const Tensor& t, absl::string_view name) {
  if (t.num_elements() == 1) return t.flat<float>()[0];
  return absl::InvalidArgumentError(absl::StrCat("`", name, "` must be rank 0 but is rank ", t.rank()));
}

absl::StatusOr<QuantRange> QuantRange::read(KernelContext& context, int low_input) {
  QuantRange r;
  TROUPE_ASSIGN_OR_RETURN(r.low, range_value(context.input(low_input), "min"));
  TROUPE_ASSIGN_OR_RETURN(r.high, range_value(context.input(low_input + 1), "max"));
  if (!(r.low <= r.high)) {
    return absl::InvalidArgumentError(
        absl::StrCat("min must be less than max, got ", r.low, " and ", r.high));
  }
  return r;
}

absl::Status set_scalar(KernelContext& context, int output, float value) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(output, Shape()));
  out->flat<float>()[0] = value;
  return absl::OkStatus();
}

namespace {

enum class Mode { kMinCombined, kMinFirst, kScaled };

absl::StatusOr<Mode> parse_mode(absl::string_view text) {
  if (text == "MIN_COMBINED") return Mode::kMinCombined;
  if (text == "MIN_FIRST") return Mode::kMinFirst;
  if (text == "SCALED") return Mode::kScaled;
  return absl::InvalidArgumentError(
      absl::StrCat("Mode string must be 'MIN_COMBINED', 'MIN_FIRST', or 'SCALED', is '", text, "'"));
}

/// Half the number of steps of a signed dtype, by which MIN_COMBINED shifts.
template <class Q>
constexpr double half_range() {
  return quant_lowest<Q>() == 0 ? 0 : (quant_highest<Q>() - quant_lowest<Q>() + 1) / 2;
}

/// A tensor cut along an axis into slices with a range each; axis -1: one slice.
struct Slices {
  int64_t count = 1, inner = 0;
  static absl::StatusOr<Slices> make(const Tensor& x, int64_t axis, int64_t ranges) {
    Slices s;
    if (axis == -1) {
      s.inner = x.num_elements();
    } else {
      if (axis < -1 || axis >= x.rank()) {
        return absl::InvalidArgumentError(
            absl::StrCat("Axis must be less than input dimension(", x.rank(), "), got ", axis));
      }
      s.count = x.dim(static_cast<int>(axis));
      s.inner = x.shape().num_elements(static_cast<int>(axis) + 1, x.rank());
    }
    if (ranges != s.count) {
      return absl::InvalidArgumentError(
          absl::StrCat("input_min_range and input_max_range must have ", s.count, " elements, got ", ranges));
    }
    return s;
  }
  int64_t of(int64_t element) const { return inner == 0 ? 0 : element / inner % count; }
};

template <class Q>
class QuantizeKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("mode"));
    TROUPE_ASSIGN_OR_RETURN(mode_, parse_mode(mode));
    TROUPE_ASSIGN_OR_RETURN(std::string round, c.attr<std::string>("round_mode"));
    to_even_ = round == "HALF_TO_EVEN";
    if (to_even_ && mode_ != Mode::kScaled) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '", mode, "'."));
    }
    narrow_ = c.node().attrs.get_or<bool>("narrow_range", false);
    axis_ = c.node().attrs.get_or<int64_t>("axis", -1);
    least_ = c.node().attrs.get_or<float>("ensure_minimum_range", 0.01f);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &x = context.input(0), &low = context.input(1), &high = context.input(2);
    TROUPE_ASSIGN_OR_RETURN(Slices slices, Slices::make(x, axis_, low.num_elements()));
    if (high.num_elements() != low.num_elements()) {
      return absl::InvalidArgumentError("input_min_range and input_max_range must have the same size");
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    const Shape range_shape = axis_ == -1 ? Shape() : Shape{slices.count};
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_low, context.allocate_output(1, range_shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_high, context.allocate_output(2, range_shape));
    std::vector<Scheme> schemes;
    for (int64_t s = 0; s < slices.count; ++s) {
      const auto at = static_cast<size_t>(s);
      const float given_low = low.flat<float>()[at], given_high = high.flat<float>()[at];
      if (!(given_low <= given_high)) {
        return absl::InvalidArgumentError(
            absl::StrCat("input_max_range must be larger than input_min_range."));
      }
      schemes.push_back(scheme(given_low, given_high));
      out_low->flat<float>()[at] = schemes.back().low;
      out_high->flat<float>()[at] = schemes.back().high;
    }
    auto in = x.flat<float>();
    std::span<Q> to = out->flat<Q>();
    for (size_t i = 0; i < in.size(); ++i) {
      to[i] = convert(schemes[static_cast<size_t>(slices.of(static_cast<int64_t>(i)))], in[i]);
    }
    return absl::OkStatus();
  }

 private:
  struct Scheme {
    float low, high, scale;
  };

  Scheme scheme(float low, float high) const {
    Scheme s{std::min(0.0f, low), 0, 1};
    const float epsilon = std::max(1.0f, std::max(std::abs(low), std::abs(high))) * least_;
    s.high = std::max(0.0f, std::max(high, s.low + epsilon));
    if (mode_ == Mode::kScaled) {
      const auto q_low = static_cast<float>(quant_lowest<Q>() + (narrow_ ? 1 : 0)),
                 q_high = static_cast<float>(quant_highest<Q>());
      const float big = std::numeric_limits<float>::max();
      s.scale =
          std::min(q_low * s.low > 0 ? q_low / s.low : big, q_high * s.high > 0 ? q_high / s.high : big);
      s.low = q_low / s.scale;
      s.high = q_high / s.scale;
    } else {
      s.scale =
          static_cast<float>((quant_highest<Q>() - quant_lowest<Q>()) / static_cast<double>(s.high - s.low));
    }
    return s;
  }

  Q convert(const Scheme& s, float x) const {
    const float clamped = std::min(s.high, std::max(s.low, x));
    switch (mode_) {
      case Mode::kMinFirst: return quantize<Q>(static_cast<double>(x), s.low, s.high);
      case Mode::kMinCombined:
        return saturate<Q>(std::round((clamped - s.low) * s.scale - static_cast<float>(half_range<Q>())));
      case Mode::kScaled:
        return saturate<Q>(to_even_ ? std::nearbyint(clamped * s.scale) : std::round(clamped * s.scale));
    }
    return Q{};
  }

  Mode mode_ = Mode::kMinCombined;
  bool to_even_ = false, narrow_ = false;
  int64_t axis_ = -1;
  float least_ = 0.01f;
};

template <class Q>
class DequantizeKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("mode"));
    TROUPE_ASSIGN_OR_RETURN(mode_, parse_mode(mode));
    narrow_ = c.node().attrs.get_or<bool>("narrow_range", false);
    axis_ = c.node().attrs.get_or<int64_t>("axis", -1);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &x = context.input(0), &low = context.input(1), &high = context.input(2);
    TROUPE_ASSIGN_OR_RETURN(Slices slices, Slices::make(x, axis_, low.num_elements()));
    if (high.num_elements() != low.num_elements()) {
      return absl::InvalidArgumentError("min_range and max_range must have the same size");
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    auto in = x.flat<Q>();
    for (size_t i = 0; i < in.size(); ++i) {
      const auto s = static_cast<size_t>(slices.of(static_cast<int64_t>(i)));
      const float v = convert(in[i], low.flat<float>()[s], high.flat<float>()[s]);
      if (out->dtype() == DataType::kFloat) {
        out->flat<float>()[i] = v;
      } else {
        out->flat<Eigen::bfloat16>()[i] = static_cast<Eigen::bfloat16>(v);
      }
    }
    return absl::OkStatus();
  }

 private:
  float convert(Q q, float low, float high) const {
    if (mode_ == Mode::kMinFirst) return dequantize<Q>(q, low, high);
    const auto v = static_cast<float>(q.value);
    if (mode_ == Mode::kMinCombined) {
      const auto scale =
          static_cast<float>(static_cast<double>(high - low) / (quant_highest<Q>() - quant_lowest<Q>()));
      return (v + static_cast<float>(half_range<Q>())) * scale + low;
    }
    const float from_high = high / static_cast<float>(quant_highest<Q>());
    if (quant_lowest<Q>() == 0) return v * from_high;
    return v * std::max(low / static_cast<float>(quant_lowest<Q>() + (narrow_ ? 1 : 0)), from_high);
  }

  Mode mode_ = Mode::kMinCombined;
  bool narrow_ = false;
  int64_t axis_ = -1;
};

/// Takes 32-bit steps of one range to the steps of another: fixed-point arithmetic for quint8, as TensorFlow has it.
template <class Q>
void requantize(std::span<const QInt32> in, QuantRange from, QuantRange to, std::span<Q> out) {
  if constexpr (std::is_same_v<Q, QUInt8>) {
    const double one = 1 << 16, in_range = static_cast<double>(from.high - from.low),
                 out_range = static_cast<double>(to.high - to.low);
    auto fixed = [](double v) { return static_cast<int64_t>(std::min(9e18, std::max(-9e18, v))); };
    const bool empty = out_range == 0;
    const int64_t scale = empty ? 0 : fixed(255.0 * one * in_range / out_range);
    const int64_t in_offset = empty ? 0
                                    : fixed((static_cast<double>(from.low) + static_cast<double>(from.high)) /
                                            2 * 255.0 / out_range * one);
    const int64_t out_offset = empty ? 0 : fixed(static_cast<double>(to.low) * 255.0 * one / out_range);
    for (size_t i = 0; i < in.size(); ++i) {
      const auto product = static_cast<int64_t>(static_cast<__int128>(in[i].value) * scale >> 32);
      const __int128 v = (static_cast<__int128>(product) + in_offset - out_offset + (1 << 15)) >> 16;
      out[i].value = static_cast<uint8_t>(v < 0 ? 0 : v > 255 ? 255 : static_cast<int>(v));
    }
  } else {
    for (size_t i = 0; i < in.size(); ++i) {
      out[i] = quantize<Q>(static_cast<double>(dequantize(in[i], from.low, from.high)), to.low, to.high);
    }
  }
}

template <class Q>
absl::Status requantize_op(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(QuantRange from, QuantRange::read(context, 1));
  TROUPE_ASSIGN_OR_RETURN(QuantRange to, QuantRange::read(context, 3));
  if (to.low > 0)
    return absl::InvalidArgumentError(absl::StrCat("requested_output_min must be <= 0, but got ", to.low));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, context.input(0).shape()));
  requantize<Q>(context.input(0).flat<QInt32>(), from, to, out->flat<Q>());
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, to.low));
  return set_scalar(context, 2, to.high);
}

/// The range that the values really use, zero included.
QuantRange used_range(std::span<const QInt32> in, QuantRange whole) {
  if (in.empty()) return {std::min(0.0f, whole.low), std::max(0.0f, whole.high)};
  auto [low, high] = std::minmax_element(in.begin(), in.end());
  return {std::min(0.0f, dequantize(*low, whole.low, whole.high)), dequantize(*high, whole.low, whole.high)};
}

absl::Status requantization_range(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(QuantRange whole, QuantRange::read(context, 1));
  const QuantRange used = used_range(context.input(0).flat<QInt32>(), whole);
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 0, used.low));
  return set_scalar(context, 1, used.high);
}

absl::Status quantize_down(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(QuantRange whole, QuantRange::read(context, 1));
  auto in = context.input(0).flat<QInt32>();
  const QuantRange used = used_range(in, whole);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, context.input(0).shape()));
  requantize<QUInt8>(in, whole, used, out->flat<QUInt8>());
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, used.low));
  return set_scalar(context, 2, used.high);
}

template <class Q>
void add(KernelRegistry* r) {
  r->add(KernelDef("QuantizeV2").type<Q>("T").template kernel<QuantizeKernel<Q>>());
  r->add(KernelDef("Dequantize")
             .type<Q>("T")
             .types("dtype", {DataType::kFloat, DataType::kBfloat16})
             .template kernel<DequantizeKernel<Q>>());
}

}  // namespace

void register_quantized_conversion(KernelRegistry* r) {
  add<QInt8>(r);
  add<QUInt8>(r);
  add<QInt16>(r);
  add<QUInt16>(r);
  add<QInt32>(r);
  r->add(KernelDef("Requantize").type<QInt32>("Tinput").type<QUInt8>("out_type").fn(requantize_op<QUInt8>));
  r->add(KernelDef("Requantize").type<QInt32>("Tinput").type<QInt8>("out_type").fn(requantize_op<QInt8>));
  r->add(KernelDef("RequantizationRange").type<QInt32>("Tinput").fn(requantization_range));
  r->add(KernelDef("QuantizeDownAndShrinkRange")
             .type<QInt32>("Tinput")
             .type<QUInt8>("out_type")
             .fn(quantize_down));
}

}  // namespace troupe
