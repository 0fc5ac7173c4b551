#pragma once
// Angles and their sines in floats; see registers.h for who may include it.
#include "devices/cpu/loops/vector/float_math.h"

namespace troupe::TROUPE_ISA {

/// The sine, or the cosine, of an angle up to kMostAngle. pi / 2 is taken off in four parts, of which the first three have so few bits that their products
/// with whole numbers are exact; the polynomials are Cephes'. 2.5 ulp, but next to the function's zeros, where it is 1.2e-10 of 1.
template <int kQuarter>
TROUPE_INLINE Floats sine(Floats x) {
  const Floats rounded = fma(x, 0.636619772367581343f, splat(kRounder));
  const Floats count = rounded - kRounder;
  const Ints quarter = bits(rounded) + kQuarter;
  Floats r = fma(count, -1.5703125f, x);
  r = fma(count, -4.8351287841796875e-4f, r);
  r = fma(count, -3.1385570764541626e-7f, r);
  r = fma(count, -6.0771006282767107e-11f, r);
  const Floats s = r * r;
  Floats sin = fma(s, splat(-1.9515295891e-4f), 8.3321608736e-3f);
  sin = fma(sin, s, -1.6666654611e-1f);
  sin = fma(sin * s, r, r);
  Floats cos = fma(s, splat(2.443315711809948e-5f), -1.388731625493765e-3f);
  cos = fma(cos, s, 4.166664568298827e-2f);
  cos = fma(cos, s * s, fma(s, splat(-0.5f), 1.0f));
  const Floats y = (quarter & 1) != 0 ? cos : sin;
  return from_bits(bits(y) ^ ((quarter & 2) << 30));
}
TROUPE_INLINE Floats sin(Floats x) {
  const Floats y = sine<0>(x);
  return x == 0.0f ? x : y;
}
TROUPE_INLINE Floats cos(Floats x) { return sine<1>(x); }

/// The angle of the point (x, y), as the C library's: 4 ulp. The polynomial is Cephes'.
TROUPE_INLINE Floats atan2(Floats y, Floats x) {
  const Floats a = abs(x), b = abs(y);
  const Floats most = a < b ? b : a, least = a < b ? a : b;
  // On the axes and diagonals of infinity, and at the origin, there is nothing to divide.
  Floats q = least == most ? splat(1.0f) : least / most;
  q = most == 0.0f ? splat(0.0f) : q;
  const Ints steep = q > 0.414213562f;
  const Floats t = steep ? (q - 1.0f) / (q + 1.0f) : q;
  const Floats s = t * t;
  Floats p = fma(s, splat(8.05374449538e-2f), -1.38776856032e-1f);
  p = fma(p, s, 1.99777106478e-1f);
  p = fma(p, s, -3.33329491539e-1f);
  Floats angle = fma(p * s, t, t);
  angle = steep ? angle + 0.785398163397448f : angle;
  angle = a < b ? 1.57079632679489662f - angle : angle;
  angle = bits(x) < 0 ? 3.14159265358979324f - angle : angle;
  angle = copy_sign(angle, y);
  return x != x || y != y ? x + y : angle;
}

}  // namespace troupe::TROUPE_ISA
