#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "devices/kernel.h"

namespace troupe {

/// The integer behind a quantised element type.
template <class Q>
using QuantStorage = decltype(Q::value);

template <class Q>
constexpr double quant_lowest() {
  return static_cast<double>(std::numeric_limits<QuantStorage<Q>>::lowest());
}
template <class Q>
constexpr double quant_highest() {
  return static_cast<double>(std::numeric_limits<QuantStorage<Q>>::max());
}

/// Clamps and converts; NaN gives the lowest.
template <class Q>
Q saturate(double v) {
  if (!(v > quant_lowest<Q>())) return Q{std::numeric_limits<QuantStorage<Q>>::lowest()};
  if (v >= quant_highest<Q>()) return Q{std::numeric_limits<QuantStorage<Q>>::max()};
  return Q{static_cast<QuantStorage<Q>>(v)};
}

/// What one step of a dtype is worth in a range.
template <class Q>
float level_size(float low, float high) {
  return static_cast<float>((static_cast<double>(high) - static_cast<double>(low)) /
                            (quant_highest<Q>() - quant_lowest<Q>()));
}

/// The step that a number falls on, before clamping: TensorFlow's "min first" scheme, whose zero is exact.
template <class Q>
double to_level(double value, float low, float high) {
  if (low == high) return 0;
  const double steps = quant_highest<Q>() - quant_lowest<Q>() + 1;
  const double range = (static_cast<double>(high) - static_cast<double>(low)) * (steps / (steps - 1));
  const double scale = steps / range;
  return std::round(value * scale) - std::round(static_cast<double>(low) * scale) + quant_lowest<Q>();
}

template <class Q>
Q quantize(double value, float low, float high) {
  return saturate<Q>(to_level<Q>(value, low, high));
}

template <class Q>
float dequantize(Q q, float low, float high) {
  if (low == high) return low;
  const double steps = quant_highest<Q>() - quant_lowest<Q>() + 1;
  const double range = (static_cast<double>(high) - static_cast<double>(low)) * (steps / (steps - 1));
  const double scale = range / steps;
  // In single precision, as TensorFlow has it: which way half a step is rounded depends on it.
  const auto step = static_cast<float>(scale);
  const auto zero = static_cast<double>(std::round(low / step) * step);
  return static_cast<float>(zero + (static_cast<double>(q.value) - quant_lowest<Q>()) * scale);
}

/// The range of 32-bit sums of products of two quantised operands.
template <class A, class B>
void product_range(float low_a, float high_a, float low_b, float high_b, float* low, float* high) {
  const float step = level_size<A>(low_a, high_a) * level_size<B>(low_b, high_b);
  *low = step * static_cast<float>(std::numeric_limits<int32_t>::lowest());
  *high = step * static_cast<float>(std::numeric_limits<int32_t>::max());
}

/// The one float of a range operand: InvalidArgument names it when it holds more or less.
absl::StatusOr<float> range_value(const Tensor& t, absl::string_view name);

/// A pair of range operands, low not above high.
struct QuantRange {
  float low = 0, high = 0;
  static absl::StatusOr<QuantRange> read(KernelContext& context, int low_input);
};

absl::Status set_scalar(KernelContext& context, int output, float value);

}  // namespace troupe
