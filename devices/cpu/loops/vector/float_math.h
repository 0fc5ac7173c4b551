#pragma once
// Functions of floats, a register at a time; see registers.h for who may include it. Errors in units in the last place are what the
// test measures over all magnitudes. Infinities, NaN, zeros and their signs are as in the C library; numbers too small to be
// normal are what the thread's mode makes of them.
#include "devices/cpu/loops/vector/vec.h"

namespace troupe::TROUPE_ISA {

// Klambauer et al., "Self-Normalizing Neural Networks" (2017).
constexpr float kSeluScale = 1.0507009873554804934193349852946f;
constexpr float kSeluScaleAlpha = 1.7580993408473768599402175208123f;

constexpr float kInfinity = __builtin_inff();
/// 1.5 * 2^23: a float of up to 2^22 that is added to it is rounded to an integer, which stands in the lowest bits.
constexpr float kRounder = 12582912.0f;
constexpr float kLog2E = 1.44269504088896341f;
/// ln 2 in two parts; the first has so few bits that its products with exponents are exact.
constexpr float kLn2High = 0.693359375f;
constexpr float kLn2Low = -2.12194440e-4f;

/// x = count * ln 2 + rest, |rest| <= ln 2 / 2, and exp(rest) - 1.
struct ExpParts {
  Floats count;
  Ints exponent;
  Floats rest_expm1;
};
/// |x| is below 150, or x is NaN. The polynomial is Cephes'.
TROUPE_INLINE ExpParts exp_parts(Floats x) {
  const Floats rounded = fma(x, kLog2E, splat(kRounder));
  const Floats count = rounded - kRounder;
  Floats r = fma(count, -kLn2High, x);
  r = fma(count, -kLn2Low, r);
  Floats p = fma(r, splat(1.9875691500e-4f), 1.3981999507e-3f);
  p = fma(p, r, 8.3334519073e-3f);
  p = fma(p, r, 4.1665795894e-2f);
  p = fma(p, r, 1.6666665459e-1f);
  p = fma(p, r, 5.0000001201e-1f);
  return {count, bits(rounded) - bits(splat(kRounder)), fma(r * r, p, r)};
}
/// 2^e for e of -126 to 127.
TROUPE_INLINE Floats power_of_two(Ints e) { return from_bits((e + 127) << 23); }

TROUPE_INLINE Floats clamp(Floats x, float low, float high) {
  x = x < low ? splat(low) : x;
  return x > high ? splat(high) : x;
}

/// 1 ulp.
TROUPE_INLINE Floats exp(Floats x) {
  const ExpParts e = exp_parts(clamp(x, -104.0f, 89.0f));
#if defined(__AVX512F__)
  return (Floats)_mm512_maskz_scalef_ps(0xffff, (__m512)(e.rest_expm1 + 1.0f), (__m512)e.count);
#else
  // In two steps: 2^128 is no float, nor is 2^-150.
  const Ints half = e.exponent >> 1;
  return (e.rest_expm1 + 1.0f) * power_of_two(half) * power_of_two(e.exponent - half);
#endif
}

/// 2 ulp.
TROUPE_INLINE Floats expm1(Floats x) {
  const ExpParts e = exp_parts(clamp(x, -20.0f, 89.0f));
  const Floats half = power_of_two(e.exponent - 1);
  const Floats y = 2.0f * fma(half, e.rest_expm1, half - 0.5f);
  return x == 0.0f ? x : y;
}

/// 1 ulp. Of a negative number NaN, of zero minus infinity.
TROUPE_INLINE Floats log(Floats x) {
  const Ints small = x < 1.17549435e-38f;
  const Floats normal = small ? x * 8388608.0f : x;
  // x = 2^e * (1 + f), 1 + f from sqrt(0.5) to sqrt(2).
  const Ints shifted = bits(normal) - 0x3f3504f3;
  const Floats e = __builtin_convertvector((shifted >> 23) - (small & 23), Floats);
  const Floats f = from_bits((shifted & 0x7fffff) + 0x3f3504f3) - 1.0f;
  Floats p = fma(f, splat(7.0376836292e-2f), -1.1514610310e-1f);
  p = fma(p, f, 1.1676998740e-1f);
  p = fma(p, f, -1.2420140846e-1f);
  p = fma(p, f, 1.4249322787e-1f);
  p = fma(p, f, -1.6668057665e-1f);
  p = fma(p, f, 2.0000714765e-1f);
  p = fma(p, f, -2.4999993993e-1f);
  p = fma(p, f, 3.3333331174e-1f);
  const Floats square = f * f;
  Floats y = fma(e, kLn2Low, p * f * square);
  y = fma(square, -0.5f, y);
  y = fma(e, kLn2High, f + y);
  y = x > 0.0f ? y : splat(__builtin_nanf(""));
  y = x == 0.0f ? splat(-kInfinity) : y;
  // NaN and infinity are their own logarithms.
  return x < kInfinity ? y : x;
}

/// 2 ulp.
TROUPE_INLINE Floats log1p(Floats x) {
  const Floats u = x + 1.0f;
  const Floats y = log(u);
  // What u lost of x, but where there is nothing to mend.
  const Floats mended = y + (x - (u - 1.0f)) / u;
  const Floats whole = abs(y) < kInfinity ? mended : y;
  return x == 0.0f ? x : whole;
}

/// log(1 + exp(x)); large x are their own result. 2 ulp.
TROUPE_INLINE Floats softplus(Floats x) { return x > 16.0f ? x : log1p(exp(x)); }

/// To the nearest whole number, half to even. Of 2^23 and more, and of NaN, itself.
TROUPE_INLINE Floats round(Floats x) {
  constexpr float kWhole = 8388608.0f;
  const Floats a = abs(x);
  return a < kWhole ? copy_sign((a + kWhole) - kWhole, x) : x;
}
TROUPE_INLINE Floats floor(Floats x) {
  const Floats y = round(x);
  return y > x ? y - 1.0f : y;
}
TROUPE_INLINE Floats ceil(Floats x) {
  const Floats y = round(x);
  return copy_sign(y < x ? y + 1.0f : y, x);
}

}  // namespace troupe::TROUPE_ISA
