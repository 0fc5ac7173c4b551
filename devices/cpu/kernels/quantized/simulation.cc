#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// A range that fake quantisation uses: moved so that zero is one of its steps.
struct NudgedRange {
  float low = 0, high = 0, scale = 1;
  /// Of the wanted range: not one over the rounded scale, as TensorFlow.
  float inverse_scale = 1;
  /// The step that is zero.
  float quant_zero = 0;

  NudgedRange(float low_wanted, float high_wanted, int64_t quant_min, int64_t quant_max) {
    const auto q_low = static_cast<float>(quant_min), q_high = static_cast<float>(quant_max);
    scale = (high_wanted - low_wanted) / (q_high - q_low);
    const float zero = q_low - low_wanted / scale;
    const float nudged = zero < q_low ? q_low : zero > q_high ? q_high : std::round(zero);
    low = (q_low - nudged) * scale;
    high = (q_high - nudged) * scale;
    inverse_scale = (q_high - q_low) / (high_wanted - low_wanted);
    quant_zero = std::floor(-low * inverse_scale + 0.5f);
  }
  /// Not a number stays what it is.
  float apply(float x) const {
    const float shifted = (x < low ? low : x > high ? high : x) - low;
    return std::floor(shifted * inverse_scale - quant_zero + 0.5f) * scale;
  }
};

struct FakeQuantAttrs {
  int64_t quant_min = 0, quant_max = 255;

  static absl::StatusOr<FakeQuantAttrs> make(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t bits, c.attr<int64_t>("num_bits"));
    TROUPE_ASSIGN_OR_RETURN(bool narrow, c.attr<bool>("narrow_range"));
    if (bits < 2 || bits > 16) {
      return absl::InvalidArgumentError(absl::StrCat("num_bits must be between 2 and 16, inclusive"));
    }
    return FakeQuantAttrs{narrow ? 1 : 0, (int64_t{1} << bits) - 1};
  }
  NudgedRange range(float low, float high) const { return NudgedRange(low, high, quant_min, quant_max); }
};

/// Where the range comes from: attrs, two scalars, or two vectors with a number per last-dimension channel.
enum class RangeFrom { kAttrs, kScalars, kChannels };

template <RangeFrom from, bool kGradient>
class FakeQuantKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, FakeQuantAttrs::make(c));
    if constexpr (from == RangeFrom::kAttrs) {
      TROUPE_ASSIGN_OR_RETURN(low_, c.attr<float>("min"));
      TROUPE_ASSIGN_OR_RETURN(high_, c.attr<float>("max"));
      if (!(low_ < high_)) {
        return absl::InvalidArgumentError(
            absl::StrCat("min has to be smaller than max, was: ", low_, " >= ", high_));
      }
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(kGradient ? 1 : 0);
    if (kGradient && !(x.shape() == context.input(0).shape())) {
      return absl::InvalidArgumentError("gradient and input must be the same size");
    }
    int64_t channels = 1;
    std::vector<float> lows = {low_}, highs = {high_};
    if constexpr (from != RangeFrom::kAttrs) {
      const Tensor &low = context.input(kGradient ? 2 : 1), &high = context.input(kGradient ? 3 : 2);
      if (from == RangeFrom::kChannels) {
        if (x.rank() < 1) return absl::InvalidArgumentError("inputs must be at least rank 1");
        channels = x.dim(x.rank() - 1);
      }
      const int rank = from == RangeFrom::kChannels ? 1 : 0;
      if (low.rank() != rank || high.rank() != rank) {
        return absl::InvalidArgumentError(absl::StrCat("`min` and `max` must be rank ", rank,
                                                       " but are rank ", low.rank(), " and ", high.rank()));
      }
      if (low.num_elements() != channels || high.num_elements() != channels) {
        return absl::InvalidArgumentError(absl::StrCat("min and max have incorrect size, expected ", channels,
                                                       " was ", low.num_elements(), " and ",
                                                       high.num_elements()));
      }
      lows.assign(low.flat<float>().begin(), low.flat<float>().end());
      highs.assign(high.flat<float>().begin(), high.flat<float>().end());
      // As TensorFlow, which looks at the scalars alone.
      if (from == RangeFrom::kScalars && !(lows[0] <= highs[0]))
        return absl::InvalidArgumentError("min has to be smaller than max");
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    const float* in = x.flat<float>().data();
    float* to = out->flat<float>().data();
    const int64_t rows = channels == 0 ? 0 : x.num_elements() / channels;
    if constexpr (!kGradient) {
      for (int64_t c = 0; c < channels; ++c) {
        const float low = lows[static_cast<size_t>(c)], high = highs[static_cast<size_t>(c)];
        const NudgedRange range = attrs_.range(low, high);
        for (int64_t i = c; i < rows * channels; i += channels)
          to[i] = low == 0 && high == 0 ? 0.0f : range.apply(in[i]);
      }
      return absl::OkStatus();
    } else {
      const float* grad = context.input(0).flat<float>().data();
      Tensor *low_grad = nullptr, *high_grad = nullptr;
      if constexpr (from != RangeFrom::kAttrs) {
        TROUPE_ASSIGN_OR_RETURN(low_grad, context.allocate_output(1, context.input(2).shape()));
        TROUPE_ASSIGN_OR_RETURN(high_grad, context.allocate_output(2, context.input(3).shape()));
      }
      for (int64_t c = 0; c < channels; ++c) {
        const float low = lows[static_cast<size_t>(c)], high = highs[static_cast<size_t>(c)];
        const NudgedRange range = attrs_.range(low, high);
        const bool all = from != RangeFrom::kAttrs && low == 0 && high == 0;
        double below = 0, above = 0;
        for (int64_t i = c; i < rows * channels; i += channels) {
          const bool inside = all || (in[i] >= range.low && in[i] <= range.high);
          to[i] = inside ? grad[i] : 0.0f;
          if (!all && in[i] < range.low) below += static_cast<double>(grad[i]);
          if (!all && in[i] > range.high) above += static_cast<double>(grad[i]);
        }
        if (low_grad != nullptr) {
          low_grad->flat<float>()[static_cast<size_t>(c)] = static_cast<float>(below);
          high_grad->flat<float>()[static_cast<size_t>(c)] = static_cast<float>(above);
        }
      }
      return absl::OkStatus();
    }
  }

 private:
  FakeQuantAttrs attrs_;
  float low_ = 0, high_ = 0;
};

/// QuantizeAndDequantize and V2 to V4.
template <class T, int kVersion>
class RoundTripKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& a = c.node().attrs;
    signed_ = a.get_or<bool>("signed_input", true);
    range_given_ = a.get_or<bool>("range_given", false);
    narrow_ = a.get_or<bool>("narrow_range", false);
    axis_ = a.get_or<int64_t>("axis", -1);
    bits_ = a.get_or<int64_t>("num_bits", 8);
    half_up_ = a.get_or<std::string>("round_mode", kVersion == 1 ? "HALF_UP" : "HALF_TO_EVEN") == "HALF_UP";
    low_ = static_cast<T>(a.get_or<float>("input_min", 0.0f));
    high_ = static_cast<T>(a.get_or<float>("input_max", 0.0f));
    TROUPE_RETURN_IF_ERROR(check_bits(bits_));
    if (axis_ < -1)
      return absl::InvalidArgumentError(absl::StrCat("Axis must be at least -1. Found ", axis_));
    if (kVersion == 1 && range_given_ && low_ > high_) {
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid range: input_min ", low_, " > input_max ", high_));
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    if (axis_ >= x.rank()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Axis requested is larger than input dimensions. Axis: ", axis_, " Input Dimensions: ", x.rank()));
    }
    int64_t bits = bits_;
    if constexpr (kVersion == 3) {
      if (context.input(3).num_elements() != 1)
        return absl::InvalidArgumentError("Invalid shape: num_bits must be a scalar");
      bits = context.input(3).flat<int32_t>()[0];
      TROUPE_RETURN_IF_ERROR(check_bits(bits));
    }
    const int axis = static_cast<int>(axis_);
    const int64_t channels = axis < 0 ? 1 : x.dim(axis);
    const int64_t inner = axis < 0 ? x.num_elements() : x.shape().num_elements(axis + 1, x.rank());
    std::vector<T> lows(static_cast<size_t>(channels), low_), highs(lows.size(), high_);
    TROUPE_RETURN_IF_ERROR(ranges(context, x, inner, &lows, &highs));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, x.shape()));
    const T* in = x.flat<T>().data();
    T* to = out->flat<T>().data();
    for (int64_t block = 0; inner > 0 && block < x.num_elements() / inner; ++block) {
      const auto c = static_cast<size_t>(block % channels);
      one(bits, lows[c], highs[c], in + block * inner, inner, to + block * inner);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status check_bits(int64_t bits) const {
    if (bits > 0 && bits < (signed_ ? 62 : 63)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("num_bits is out of range: ", bits, " with signed_input_ ", signed_));
  }

  absl::Status ranges(KernelContext& context, const Tensor& x, int64_t inner, std::vector<T>* lows,
                      std::vector<T>* highs) const {
    const size_t channels = lows->size();
    if (!range_given_) {
      std::fill(lows->begin(), lows->end(), T(0));
      std::fill(highs->begin(), highs->end(), T(0));
      auto in = x.flat<T>();
      std::vector<bool> seen(channels, false);
      for (size_t i = 0; i < in.size(); ++i) {
        const size_t c = i / static_cast<size_t>(inner) % channels;
        (*lows)[c] = seen[c] ? std::min((*lows)[c], in[i]) : in[i];
        (*highs)[c] = seen[c] ? std::max((*highs)[c], in[i]) : in[i];
        seen[c] = true;
      }
      return absl::OkStatus();
    }
    if constexpr (kVersion > 1) {
      for (auto [i, values] : {std::pair(1, lows), std::pair(2, highs)}) {
        const Tensor& t = context.input(i);
        if (t.num_elements() != static_cast<int64_t>(channels)) {
          return absl::InvalidArgumentError(
              absl::StrCat("Shape must be rank ", axis_ < 0 ? 0 : 1, " with ", channels,
                           " elements for input_", i == 1 ? "min" : "max", ", got ", t.shape().to_string()));
        }
        values->assign(t.flat<T>().begin(), t.flat<T>().end());
      }
      for (size_t c = 0; c < channels; ++c) {
        if ((*lows)[c] > (*highs)[c]) {
          return absl::InvalidArgumentError(
              absl::StrCat("Invalid range: input_min ", (*lows)[c], " > input_max ", (*highs)[c]));
        }
      }
    }
    return absl::OkStatus();
  }

  void one(int64_t bits, T low, T high, const T* in, int64_t count, T* out) const {
    const int64_t q_low = signed_ ? -(int64_t{1} << (bits - 1)) + (narrow_ ? 1 : 0) : 0;
    const int64_t q_high = signed_ ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
    const T min_q = static_cast<T>(q_low), max_q = static_cast<T>(q_high),
            big = std::numeric_limits<T>::max();
    const T from_low = min_q * low > 0 ? min_q / low : big, from_high = max_q * high > 0 ? max_q / high : big;
    T scale, inverse;
    if (from_low < from_high) {
      scale = from_low;
      inverse = low / min_q;
      high = max_q * inverse;
    } else {
      scale = from_high;
      inverse = high / max_q;
      low = min_q * inverse;
    }
    for (int64_t i = 0; i < count; ++i) {
      // A range that was measured needs no clamping, and is not the one that was adjusted above.
      const T x = (range_given_ ? std::min(high, std::max(low, in[i])) : in[i]) * scale;
      out[i] = (half_up_ ? std::floor(x + T(0.5)) : std::nearbyint(x)) * inverse;
    }
  }

  bool signed_ = true, range_given_ = false, narrow_ = false, half_up_ = false;
  int64_t axis_ = -1, bits_ = 8;
  T low_ = 0, high_ = 0;
};

/// QuantizeAndDequantizeV4Grad: passes what lay inside the range.
template <class T>
absl::Status round_trip_grad(KernelContext& context) {
  const Tensor &grad = context.input(0), &x = context.input(1), &low = context.input(2),
               &high = context.input(3);
  if (!(grad.shape() == x.shape()))
    return absl::InvalidArgumentError("gradient and input must be the same size");
  const auto axis = context.node().attrs.get_or<int64_t>("axis", -1);
  if (axis < -1 || axis >= x.rank()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Axis requested is larger than input dimensions. Axis: ", axis, " Input Dimensions: ", x.rank()));
  }
  const int64_t channels = axis < 0 ? 1 : x.dim(static_cast<int>(axis));
  const int64_t inner =
      axis < 0 ? x.num_elements() : x.shape().num_elements(static_cast<int>(axis) + 1, x.rank());
  if (low.num_elements() != channels || high.num_elements() != channels) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_min and input_max must have ", channels, " elements"));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
  for (int i : {1, 2}) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * zero, context.allocate_output(i, context.input(i + 1).shape()));
    for (T& v : zero->flat<T>()) v = T(0);
  }
  auto in = x.flat<T>(), g = grad.flat<T>();
  for (size_t i = 0; i < in.size(); ++i) {
    const size_t c = i / static_cast<size_t>(inner) % static_cast<size_t>(channels);
    out->flat<T>()[i] = in[i] >= low.flat<T>()[c] && in[i] <= high.flat<T>()[c] ? g[i] : T(0);
  }
  return absl::OkStatus();
}

template <class T>
void add_round_trips(KernelRegistry* r) {
  r->add(KernelDef("QuantizeAndDequantize").type<T>("T").template kernel<RoundTripKernel<T, 1>>());
  r->add(KernelDef("QuantizeAndDequantizeV2").type<T>("T").template kernel<RoundTripKernel<T, 2>>());
  r->add(KernelDef("QuantizeAndDequantizeV3").type<T>("T").template kernel<RoundTripKernel<T, 3>>());
  r->add(KernelDef("QuantizeAndDequantizeV4").type<T>("T").template kernel<RoundTripKernel<T, 4>>());
  r->add(KernelDef("QuantizeAndDequantizeV4Grad").type<T>("T").fn(round_trip_grad<T>));
}

}  // namespace

void register_quantized_simulation(KernelRegistry* r) {
  r->add(KernelDef("FakeQuantWithMinMaxArgs").kernel<FakeQuantKernel<RangeFrom::kAttrs, false>>());
  r->add(KernelDef("FakeQuantWithMinMaxArgsGradient").kernel<FakeQuantKernel<RangeFrom::kAttrs, true>>());
  r->add(KernelDef("FakeQuantWithMinMaxVars").kernel<FakeQuantKernel<RangeFrom::kScalars, false>>());
  r->add(KernelDef("FakeQuantWithMinMaxVarsGradient").kernel<FakeQuantKernel<RangeFrom::kScalars, true>>());
  r->add(
      KernelDef("FakeQuantWithMinMaxVarsPerChannel").kernel<FakeQuantKernel<RangeFrom::kChannels, false>>());
  r->add(KernelDef("FakeQuantWithMinMaxVarsPerChannelGradient")
             .kernel<FakeQuantKernel<RangeFrom::kChannels, true>>());
  add_round_trips<float>(r);
  add_round_trips<double>(r);
}

}  // namespace troupe
