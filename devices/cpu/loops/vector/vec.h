#pragma once
// What is calculated with registers; see registers.h for who may include it.
#include "devices/cpu/loops/vector/registers.h"

namespace troupe::TROUPE_ISA {

/// The bits of a number as an integer, and back.
TROUPE_INLINE Ints bits(Floats v) { return (Ints)v; }
TROUPE_INLINE Floats from_bits(Ints v) { return (Floats)v; }
TROUPE_INLINE Longs bits(Doubles v) { return (Longs)v; }
TROUPE_INLINE Doubles from_bits(Longs v) { return (Doubles)v; }
TROUPE_INLINE Floats abs(Floats v) { return from_bits(bits(v) & 0x7fffffff); }
TROUPE_INLINE Doubles abs(Doubles v) { return from_bits(bits(v) & INT64_MAX); }
TROUPE_INLINE Floats copy_sign(Floats size, Floats sign) {
  return from_bits(bits(size) | (bits(sign) & INT32_MIN));
}
TROUPE_INLINE Doubles copy_sign(Doubles size, Doubles sign) {
  return from_bits(bits(size) | (bits(sign) & INT64_MIN));
}

/// a * b + c, rounded once where the set can.
TROUPE_INLINE Floats fma(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
  return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
  return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}
TROUPE_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) {
#if defined(__AVX512F__)
  return (Doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  return (Doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}
TROUPE_INLINE Floats fma(Floats a, Floats b, float c) { return fma(a, b, splat(c)); }
TROUPE_INLINE Floats fma(Floats a, float b, Floats c) { return fma(a, splat(b), c); }
TROUPE_INLINE Doubles fma(Doubles a, Doubles b, double c) { return fma(a, b, splat(c)); }
TROUPE_INLINE Doubles fma(Doubles a, double b, Doubles c) { return fma(a, splat(b), c); }

TROUPE_INLINE Floats sqrt(Floats v) {
#if defined(__AVX512F__)
  return (Floats)_mm512_maskz_sqrt_ps(0xffff, (__m512)v);
#elif defined(__AVX2__)
  return (Floats)_mm256_sqrt_ps((__m256)v);
#elif defined(__x86_64__)
  return (Floats)_mm_sqrt_ps((__m128)v);
#else
  for (int i = 0; i < kWidth<float>; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
#endif
}

/// The larger one, or a if there is none.
template <class V>
TROUPE_INLINE V larger(V a, V b) {
  return b > a ? b : a;
}
template <>
TROUPE_INLINE Floats larger(Floats a, Floats b) {
#if defined(__AVX512F__)
  return (Floats)_mm512_maskz_max_ps(0xffff, (__m512)b, (__m512)a);
#elif defined(__AVX2__)
  return (Floats)_mm256_max_ps((__m256)b, (__m256)a);
#elif defined(__x86_64__)
  return (Floats)_mm_max_ps((__m128)b, (__m128)a);
#else
  return b > a ? b : a;
#endif
}

}  // namespace troupe::TROUPE_ISA
