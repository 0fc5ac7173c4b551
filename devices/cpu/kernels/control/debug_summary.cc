// What debuggers want to know of a tensor: DebugNumericSummary in both versions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/debug_sink.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// How many elements are of each kind.
struct Counts {
  int64_t nan = 0;
  int64_t minus_infinity = 0;
  int64_t negative = 0;
  int64_t zero = 0;
  int64_t positive = 0;
  int64_t infinity = 0;
};

/// `lower` and `upper` stand for the infinities.
template <class T>
Counts count_kinds(std::span<const T> values, double lower, double upper) {
  Counts c;
  for (const T& element : values) {
    const double v = static_cast<double>(element);
    if (std::isnan(v)) {
      ++c.nan;
    } else if (v <= lower) {
      ++c.minus_infinity;
    } else if (v >= upper) {
      ++c.infinity;
    } else if (v < 0) {
      ++c.negative;
    } else if (v > 0) {
      ++c.positive;
    } else {
      ++c.zero;
    }
  }
  return c;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Moments {
  double min = kInfinity;
  double max = -kInfinity;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double variance = std::numeric_limits<double>::quiet_NaN();
};

/// Of the finite elements.
template <class T>
Moments moments_of(std::span<const T> values) {
  Moments m;
  double sum = 0, squares = 0;
  int64_t count = 0;
  for (const T& element : values) {
    const double v = static_cast<double>(element);
    if (!std::isfinite(v)) continue;
    m.min = std::min(m.min, v);
    m.max = std::max(m.max, v);
    sum += v;
    ++count;
  }
  if (count == 0) return m;
  m.mean = sum / static_cast<double>(count);
  for (const T& element : values) {
    const double v = static_cast<double>(element);
    if (std::isfinite(v)) squares += (v - m.mean) * (v - m.mean);
  }
  m.variance = squares / static_cast<double>(count);
  return m;
}

template <class T>
class NumericSummary final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    lower_ = c.node().attrs.get_or<float>("lower_bound", -std::numeric_limits<float>::infinity());
    upper_ = c.node().attrs.get_or<float>("upper_bound", std::numeric_limits<float>::infinity());
    mute_if_healthy_ = c.node().attrs.get_or<bool>("mute_if_healthy", false);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    const std::span<const T> values = in.initialized() ? in.flat<T>() : std::span<const T>();
    const Counts c = count_kinds(values, lower_, upper_);
    const Moments m = moments_of(values);
    auto number = [](int64_t v) { return static_cast<double>(v); };
    std::vector<double> all = {in.initialized() ? 1.0 : 0.0,
                               number(static_cast<int64_t>(values.size())),
                               number(c.nan),
                               number(c.minus_infinity),
                               number(c.negative),
                               number(c.zero),
                               number(c.positive),
                               number(c.infinity),
                               m.min,
                               m.max,
                               m.mean,
                               m.variance,
                               number(static_cast<int64_t>(dtype_of<T>())),
                               number(in.rank())};
    for (int d = 0; d < in.rank(); ++d) all.push_back(number(in.dim(d)));
    const Tensor summary =
        Tensor::from<double>(Shape{static_cast<int64_t>(all.size())}, std::span<const double>(all));
    context.set_output(0, summary);
    const bool healthy = c.nan + c.minus_infinity + c.infinity == 0;
    return mute_if_healthy_ && healthy ? absl::OkStatus() : publish_watched(context, summary);
  }

 private:
  bool mute_if_healthy_ = false;
  double lower_ = -kInfinity;
  double upper_ = kInfinity;
};

/// What the second version is asked for, by TensorFlow's numbers.
enum SummaryMode : int64_t { kHealth = 2, kConcise = 3, kFull = 4, kShape = 5, kReducedInfNan = 8 };

template <class T, class Out>
class NumericSummaryV2 final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    mode_ = c.node().attrs.get_or<int64_t>("tensor_debug_mode", -1);
    id_ = c.node().attrs.get_or<int64_t>("tensor_id", -1);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    // Larger numbers are not whole in the output's dtype.
    constexpr int kDigits = std::numeric_limits<Out>::digits;
    if (id_ > int64_t{1} << kDigits) {
      return invalid("DebugNumericSummaryV2Op requires tensor_id to be less than or equal to (2^", kDigits,
                     "). Given tensor_id:", id_);
    }
    const Tensor& in = context.input(0);
    std::vector<Out> all;
    switch (mode_) {
      case kHealth:
      case kConcise:
      case kFull:
      case kReducedInfNan: all = counted(in); break;
      case kShape: all = shape_of(in); break;
      default: return absl::UnimplementedError(absl::StrCat("Unimplemented tensor debug mode: ", mode_));
    }
    context.set_output(0,
                       Tensor::from<Out>(Shape{static_cast<int64_t>(all.size())}, std::span<const Out>(all)));
    return absl::OkStatus();
  }

 private:
  static Out number(int64_t v) { return static_cast<Out>(v); }

  std::vector<Out> counted(const Tensor& in) const {
    const Counts c = count_kinds(in.flat<T>(), -kInfinity, kInfinity);
    const Out id = number(id_), size = number(in.num_elements());
    const Out low = number(c.minus_infinity), high = number(c.infinity), nan = number(c.nan);
    switch (mode_) {
      case kHealth: return {id, number(c.minus_infinity + c.infinity + c.nan > 0)};
      case kConcise: return {id, size, low, high, nan};
      case kReducedInfNan: {
        constexpr Out kInf = std::numeric_limits<Out>::infinity();
        return {c.minus_infinity > 0 ? -kInf : 0, c.infinity > 0 ? kInf : 0,
                c.nan > 0 ? std::numeric_limits<Out>::quiet_NaN() : 0};
      }
      default:
        // The second would be the id of a device.
        return {id,
                -1,
                number(static_cast<int64_t>(in.dtype())),
                number(in.rank()),
                size,
                low,
                high,
                nan,
                number(c.negative),
                number(c.zero),
                number(c.positive)};
    }
  }

  /// The last six dimensions; zeros behind them where there are fewer.
  std::vector<Out> shape_of(const Tensor& in) const {
    constexpr int kDims = 6;
    std::vector<Out> all = {number(id_), number(static_cast<int64_t>(in.dtype())), number(in.rank()),
                            number(in.num_elements())};
    for (int d = std::max(0, in.rank() - kDims); d < in.rank(); ++d) all.push_back(number(in.dim(d)));
    all.resize(4 + kDims, 0);
    return all;
  }

  int64_t mode_ = -1;
  int64_t id_ = -1;
};

template <class... T>
void add_summaries(KernelRegistry* r) {
  (r->add(KernelDef("DebugNumericSummary").type<T>("T").template kernel<NumericSummary<T>>()), ...);
}

template <class... T>
void add_summaries_v2(KernelRegistry* r) {
  (r->add(KernelDef("DebugNumericSummaryV2")
              .type<T>("T")
              .template type<float>("output_dtype")
              .template kernel<NumericSummaryV2<T, float>>()),
   ...);
  (r->add(KernelDef("DebugNumericSummaryV2")
              .type<T>("T")
              .template type<double>("output_dtype")
              .template kernel<NumericSummaryV2<T, double>>()),
   ...);
}

}  // namespace

void register_control_debug_summary(KernelRegistry* registry) {
  add_summaries<bool, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                uint64_t>(registry);
  add_summaries_v2<bool, float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t, int32_t, int64_t,
                   uint8_t, uint16_t, uint32_t, uint64_t>(registry);
}

}  // namespace troupe
