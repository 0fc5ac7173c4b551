#pragma once
// Functions of doubles, a register at a time: as float_math.h has those of floats.
#include "devices/cpu/loops/vector/vec.h"

namespace troupe::TROUPE_ISA {
namespace doubles {

constexpr double kInfinity = __builtin_inf();
/// 1.5 * 2^52: a double of up to 2^51 that is added to it is rounded to an integer, which stands in the lowest bits.
constexpr double kRounder = 6755399441055744.0;
constexpr double kLog2E = 1.4426950408889634074;
/// ln 2 in two parts; the first has so few bits that its products with exponents are exact.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
}  // namespace doubles

/// x = count * ln 2 + rest, |rest| <= ln 2 / 2, and exp(rest) - 1.
struct DoubleExpParts {
  Doubles count;
  Longs exponent;
  Doubles rest_expm1;
};
/// |x| is below 1100, or x is NaN. The polynomial is Taylor's, whose next term is less than a twentieth of a unit in the last place.
TROUPE_INLINE DoubleExpParts exp_parts(Doubles x) {
  const Doubles rounded = fma(x, doubles::kLog2E, splat(doubles::kRounder));
  const Doubles count = rounded - doubles::kRounder;
  Doubles r = fma(count, -doubles::kLn2High, x);
  r = fma(count, -doubles::kLn2Low, r);
  Doubles p = fma(r, splat(1.0 / 6227020800), 1.0 / 479001600);
  p = fma(p, r, 1.0 / 39916800);
  p = fma(p, r, 1.0 / 3628800);
  p = fma(p, r, 1.0 / 362880);
  p = fma(p, r, 1.0 / 40320);
  p = fma(p, r, 1.0 / 5040);
  p = fma(p, r, 1.0 / 720);
  p = fma(p, r, 1.0 / 120);
  p = fma(p, r, 1.0 / 24);
  p = fma(p, r, 1.0 / 6);
  p = fma(p, r, 0.5);
  return {count, bits(rounded) - bits(splat(doubles::kRounder)), fma(r * r, p, r)};
}
/// 2^e for e of -1022 to 1023.
TROUPE_INLINE Doubles power_of_two(Longs e) { return from_bits((e + 1023) << 52); }

/// 1 ulp.
TROUPE_INLINE Doubles exp(Doubles x) {
  x = x < -746.0 ? splat(-746.0) : x;
  const DoubleExpParts e = exp_parts(x > 710.0 ? splat(710.0) : x);
#if defined(__AVX512F__)
  return (Doubles)_mm512_maskz_scalef_pd(0xff, (__m512d)(e.rest_expm1 + 1.0), (__m512d)e.count);
#else
  // In two steps: 2^1024 is no double, nor is 2^-1076. Halved as a positive number, for which there are shifts.
  const Longs half = (Longs)((Vec<uint64_t>)(e.exponent + 2048) >> 1) - 1024;
  return (e.rest_expm1 + 1.0) * power_of_two(half) * power_of_two(e.exponent - half);
#endif
}

/// 1 ulp. Of a negative number NaN, of zero minus infinity. The polynomial is fdlibm's.
TROUPE_INLINE Doubles log(Doubles x) {
  const Longs small = x < 2.2250738585072014e-308;
  const Doubles normal = small ? x * 18014398509481984.0 : x;
  // x = 2^e * (1 + f), 1 + f from sqrt(0.5) to sqrt(2).
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  const Vec<uint64_t> shifted = (Vec<uint64_t>)(bits(normal) + (int64_t{0x3ff} << 52) - kSqrtHalf);
  const Longs exponent = (Longs)(shifted >> 52) - 1023 - (small & 54);
  const Doubles e = from_bits(exponent + bits(splat(doubles::kRounder))) - doubles::kRounder;
  const Doubles f = from_bits((Longs)(shifted & 0xfffffffffffffu) + kSqrtHalf) - 1.0;
  const Doubles s = f / (2.0 + f);
  const Doubles z = s * s, w = z * z;
  Doubles even = fma(w, splat(1.531383769920937332e-01), 2.222219843214978396e-01);
  even = fma(w, even, splat(3.999999999940941908e-01));
  Doubles odd = fma(w, splat(1.479819860511658591e-01), 1.818357216161805012e-01);
  odd = fma(w, odd, splat(2.857142874366239149e-01));
  odd = fma(w, odd, splat(6.666666666666735130e-01));
  const Doubles r = w * even + z * odd;
  const Doubles half_square = 0.5 * f * f;
  Doubles y = e * doubles::kLn2High - ((half_square - (s * (half_square + r) + e * doubles::kLn2Low)) - f);
  y = x > 0.0 ? y : splat(__builtin_nan(""));
  y = x == 0.0 ? splat(-doubles::kInfinity) : y;
  // NaN and infinity are their own logarithms.
  return x < doubles::kInfinity ? y : x;
}

}  // namespace troupe::TROUPE_ISA
