#pragma once
// Sigmoids of floats and doubles; see registers.h for who may include it.
#include "devices/cpu/loops/vector/double_math.h"
#include "devices/cpu/loops/vector/float_math.h"

namespace troupe::TROUPE_ISA {

/// 2.5 ulp.
template <class T>
TROUPE_INLINE Vec<T> sigmoid_of(Vec<T> x) {
  return T(1) / (T(1) + exp(-x));
}

/// 2.5 ulp. From expm1(2 |x|), which is exact enough near 0.
template <class T>
TROUPE_INLINE Vec<T> tanh_of(Vec<T> x) {
  // From there on it is 1.
  constexpr T kOne = sizeof(T) == sizeof(float) ? 10 : 20;
  Vec<T> a = abs(x);
  a = a > kOne ? splat(kOne) : a;
  const auto e = exp_parts(a + a);
  const Vec<T> scale = power_of_two(e.exponent);
  const Vec<T> y = fma(scale, e.rest_expm1, scale - T(1));
  return copy_sign(y / (y + T(2)), x);
}

}  // namespace troupe::TROUPE_ISA
