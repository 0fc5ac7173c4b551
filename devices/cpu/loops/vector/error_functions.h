#pragma once
// The error function in floats, and what is left of 1; see registers.h for who may include it.
#include "devices/cpu/loops/vector/float_math.h"

namespace troupe::TROUPE_ISA {

/// 2 ulp. Near 0 a polynomial in the square; further out 1 - exp(-q), whose q is one too.
TROUPE_INLINE Floats erf(Floats x) {
  const Floats s = x * x;
  Floats near = fma(s, splat(-5.953739239e-4f), 4.985940065e-3f);
  near = fma(near, s, -2.676171946e-2f);
  near = fma(near, s, 1.128168253e-1f);
  near = fma(near, s, -3.761248110e-1f);
  near = fma(near, s, 1.283791477e-1f);
  const Floats a = abs(x);
  const Floats t = a > 4.0f ? splat(4.0f) : a;
  Floats q = fma(t, splat(-2.139859232e-4f), 3.214963084e-3f);
  q = fma(q, t, -2.288998651e-2f);
  q = fma(q, t, 1.052618754e-1f);
  q = fma(q, t, 6.357182925e-1f);
  q = fma(q, t, 1.285143672e-1f);
  const Floats far = 1.0f - exp(-fma(q, t, t));
  return a > 0.93f ? copy_sign(far, x) : fma(near, x, x);
}

/// 1 - erf(x), to 6.5 ulp however small it is. The polynomial is of Press et al., "Numerical Recipes" (6.2).
TROUPE_INLINE Floats erfc(Floats x) {
  const Floats a = abs(x);
  // exp(-a^2) in two parts: a float has too few digits for both.
  const Floats high = from_bits(bits(a) & ~0xfff), low = a - high;
  const Floats square = a * a;
  const Floats rest = fma(low, low, fma(2.0f * high, low, high * high - square));
  const Floats t = 1.0f / fma(a, splat(0.5f), 1.0f);
  Floats p = fma(t, splat(0.17087277f), -0.82215223f);
  p = fma(p, t, 1.48851587f);
  p = fma(p, t, -1.13520398f);
  p = fma(p, t, 0.27886807f);
  p = fma(p, t, -0.18628806f);
  p = fma(p, t, 0.09678418f);
  p = fma(p, t, 0.37409196f);
  p = fma(p, t, 1.00002368f);
  p = fma(p, t, -1.26551223f);
  // From where it is no normal number on nothing is left, of infinity not a number.
  const Floats y = a < 9.5f ? t * exp(p - rest) * exp(-square) : splat(0.0f);
  const Floats both = bits(x) < 0 ? 2.0f - y : y;
  return x == x ? both : x;
}

}  // namespace troupe::TROUPE_ISA
