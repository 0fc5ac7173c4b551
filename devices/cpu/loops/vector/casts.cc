// Floats made of other numbers, and back, compiled for each instruction set. Of 16 bits: rounded to even, to the bit what Eigen's
// conversions give, but for the payloads of NaN.
#include "devices/cpu/loops/vector/sets.h"
#include "devices/cpu/loops/vector/vec.h"

namespace troupe::TROUPE_ISA {
namespace {

constexpr int64_t kStep = kWidth<float>;
/// As many integers of 16 bits as a register has floats.
typedef uint16_t Shorts __attribute__((vector_size(kVectorBytes / 2)));
using Bits = Vec<uint32_t>;

TROUPE_INLINE Floats select_bits(Ints mask, Bits a, Bits b) {
  return (Floats)(((Bits)mask & a) | (~(Bits)mask & b));
}

TROUPE_INLINE Floats from_half(Shorts h) {
#if defined(__AVX512F__)
  return (Floats)_mm512_maskz_cvtph_ps(0xffff, (__m256i)h);
#elif defined(__F16C__)
  return (Floats)_mm256_cvtph_ps((__m128i)h);
#else
  constexpr uint32_t kExponent = 0x7c00u << 13;
  const Bits wide = __builtin_convertvector(h, Bits);
  const Bits size = (wide & 0x7fff) << 13;
  const Bits exponent = size & kExponent;
  // Numbers too small to be normal are an exact difference; infinities and NaN have the largest exponent there, too.
  const Bits normal = size + ((127u - 15) << 23);
  const Bits special = size + ((255u - 31) << 23);
  const Bits small = (Bits)((Floats)(normal + (1u << 23)) - (Floats)(Bits{} + (113u << 23)));
  const Floats y =
      select_bits(exponent == 0, small, (Bits)select_bits(exponent == kExponent, special, normal));
  return (Floats)((Bits)y | ((wide & 0x8000) << 16));
#endif
}

TROUPE_INLINE Shorts to_half(Floats v) {
#if defined(__AVX512F__)
  return (Shorts)_mm512_maskz_cvtps_ph(0xffff, (__m512)v, _MM_FROUND_TO_NEAREST_INT);
#elif defined(__F16C__)
  return (Shorts)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
#else
  constexpr uint32_t kInfinite = 255u << 23, kTooLarge = (127u + 16) << 23, kSmall = 113u << 23;
  const Bits size = (Bits)v & 0x7fffffff;
  // A sum with 0.5 rounds what is too small to be normal to multiples of 2^-24.
  const Bits small = (Bits)((Floats)size + 0.5f) - (126u << 23);
  const Bits normal = (size + 0xc8000fffu + ((size >> 13) & 1)) >> 13;
  const Bits special = (Bits)select_bits(size > kInfinite, Bits{} + 0x7e00u, Bits{} + 0x7c00u);
  const Floats y = select_bits(size >= kTooLarge, special, (Bits)select_bits(size < kSmall, small, normal));
  return __builtin_convertvector((Bits)y | (((Bits)v >> 16) & 0x8000), Shorts);
#endif
}

TROUPE_INLINE Floats from_bfloat16(Shorts h) { return (Floats)(__builtin_convertvector(h, Bits) << 16); }

TROUPE_INLINE Shorts to_bfloat16(Floats v) {
  const Bits u = (Bits)v;
  const Bits rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  const Bits nan = ((u >> 16) & 0x8000) | 0x7fc0;
  return __builtin_convertvector((Bits)select_bits(v != v, nan, rounded), Shorts);
}

/// Cut towards zero; what does not fit is the lowest integer.
TROUPE_INLINE Ints to_int(Floats v) {
#if defined(__AVX512F__)
  return (Ints)_mm512_maskz_cvttps_epi32(0xffff, (__m512)v);
#elif defined(__AVX2__)
  return (Ints)_mm256_cvttps_epi32((__m256)v);
#elif defined(__x86_64__)
  return (Ints)_mm_cvttps_epi32((__m128)v);
#else
  const Ints fits = v >= -2147483648.0f && v < 2147483648.0f;
  return fits ? __builtin_convertvector(fits ? v : Floats{}, Ints) : Ints{} + INT32_MIN;
#endif
}
TROUPE_INLINE Floats from_int(Ints v) { return __builtin_convertvector(v, Floats); }

/// A row of conversions from registers of To's to registers of From's.
template <class From, class To, To (*convert)(From)>
void row(const void* in, void* out, int64_t n) {
  const char* x = static_cast<const char*>(in);
  char* o = static_cast<char*>(out);
  constexpr int64_t kFrom = sizeof(From) / kStep, kTo = sizeof(To) / kStep;
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    From v;
    __builtin_memcpy(&v, x + i * kFrom, sizeof(v));
    const To w = convert(v);
    __builtin_memcpy(o + i * kTo, &w, sizeof(w));
  }
  if (i == n) return;
  From v = {};
  __builtin_memcpy(&v, x + i * kFrom, static_cast<size_t>((n - i) * kFrom));
  const To w = convert(v);
  __builtin_memcpy(o + i * kTo, &w, static_cast<size_t>((n - i) * kTo));
}

}  // namespace

FloatCasts casts() {
  return {
      .from_half = row<Shorts, Floats, from_half>,
      .to_half = row<Floats, Shorts, to_half>,
      .from_bfloat16 = row<Shorts, Floats, from_bfloat16>,
      .to_bfloat16 = row<Floats, Shorts, to_bfloat16>,
      .from_int = row<Ints, Floats, from_int>,
      .to_int = row<Floats, Ints, to_int>,
  };
}

}  // namespace troupe::TROUPE_ISA
