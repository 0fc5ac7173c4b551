#pragma once

#include <cmath>

#include "devices/cpu/kernels/quantized/math.h"

namespace troupe {

/// How many steps of a dtype stand for the larger end of a range when zero is step 0: oneDNN's scheme. 8 bits.
template <class Q>
constexpr double scaled_steps() {
  return quant_highest<Q>();
}

inline double magnitude(float low, float high) {
  return std::max(std::abs(static_cast<double>(low)), std::abs(static_cast<double>(high)));
}

/// What a step is worth when both ends of a range are as many steps from each other as TensorFlow says of these products:
/// signed dtypes leave out their lowest.
template <class Q>
float symmetric_level(float low, float high) {
  const double steps = quant_lowest<Q>() < 0 ? 2 * quant_highest<Q>() : quant_highest<Q>();
  return static_cast<float>((static_cast<double>(high) - static_cast<double>(low)) / steps);
}

/// The nearest step, halves to even; NaN is 0.
template <class Q>
Q nearest_step(double v) {
  return std::isnan(v) ? Q{0} : saturate<Q>(std::nearbyint(v));
}

/// Which input of an op has this name, -1 when none has. For ops without lists.
inline int input_index(const KernelNode& node, absl::string_view name) {
  for (size_t i = 0; i < node.op->inputs.size(); ++i) {
    if (node.op->inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

/// The scalar inputs `low` and `high`. InvalidArgument "`low` must be rank 0 but is rank 1".
absl::StatusOr<QuantRange> scalar_range(KernelContext& context, absl::string_view low,
                                        absl::string_view high);

}  // namespace troupe
