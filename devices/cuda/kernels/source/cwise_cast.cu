// Conversions between all number types, with the answers of the CPU.
#include "devices/cuda/kernels/source/elementwise.h"

namespace troupe::launchable {

/// A float as an integer, cut towards zero. What does not fit is the lowest number of a signed type of 32 bits or more and the middle of
/// an unsigned one; narrower types get the low bits of the 32-bit result. (A GPU by itself would give the nearest number.)
template <class To, class From>
TROUPE_DEVICE To float_to_int(From v) {
  if constexpr (sizeof(To) < 4) {
    return static_cast<To>(float_to_int<int32_t>(v));
  } else {
    using Signed = std::make_signed_t<To>;
    constexpr auto kMiddle = static_cast<std::make_unsigned_t<To>>(uint64_t{1} << (sizeof(To) * 8 - 1));
    constexpr From kHalf = static_cast<From>(kMiddle);
    if (v >= -kHalf && v < kHalf) return static_cast<To>(static_cast<Signed>(v));
    if constexpr (std::is_unsigned_v<To>) {
      if (v >= kHalf && v < 2 * kHalf) return static_cast<To>(v);
    }
    return static_cast<To>(kMiddle);
  }
}

template <class To, class From>
TROUPE_DEVICE To convert(From v) {
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (is_complex_v<From>) {
    if constexpr (is_complex_v<To>) {
      return To(static_cast<decltype(To::re)>(v.re), static_cast<decltype(To::re)>(v.im));
    } else {
      return convert<To>(v.re);
    }
  } else if constexpr (is_narrow_v<From>) {
    return convert<To>(static_cast<float>(v));
  } else if constexpr (is_complex_v<To>) {
    return To(convert<decltype(To::re)>(v), 0);
  } else if constexpr (is_narrow_v<To>) {
    return To(convert<float>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (std::is_floating_point_v<From>) {
      // Denormal numbers count as zero.
      constexpr From kLeast = sizeof(From) == 4 ? static_cast<From>(1.17549435e-38) : static_cast<From>(2.2250738585072014e-308);
      return !(std::fabs(v) < kLeast);
    } else {
      return v != 0;
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return float_to_int<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

template <class From, class To>
TROUPE_DEVICE_ONLY void convert_all(const From* x, To* y, int64_t n) {
  constexpr int kPack = pack_size<From, To>();
  const int64_t packs = is_aligned<kPack>(x) && is_aligned<kPack>(y) ? n / kPack : 0;
  TROUPE_FOR_EACH(p, packs) {
    const auto in = reinterpret_cast<const Pack<From, kPack>*>(x)[p];
    Pack<To, kPack> out;
    for (int j = 0; j < kPack; ++j) out.v[j] = convert<To>(in.v[j]);
    reinterpret_cast<Pack<To, kPack>*>(y)[p] = out;
  }
  const int64_t done = packs * kPack;
  TROUPE_FOR_EACH(i, n - done) { y[done + i] = convert<To>(x[done + i]); }
}

/// Explicit mantissa bits.
template <class T>
inline constexpr int kMantissaBits = 0;
template <>
inline constexpr int kMantissaBits<half_t> = 10;
template <>
inline constexpr int kMantissaBits<bfloat16_t> = 7;
template <>
inline constexpr int kMantissaBits<float> = 23;
template <>
inline constexpr int kMantissaBits<double> = 52;

/// Clears the bits that To has no room for; infinities and NaN stay what they are.
template <class From, class To>
TROUPE_DEVICE To truncated(From v) {
  using Bits = std::conditional_t<sizeof(From) == 8, uint64_t, uint32_t>;
  constexpr Bits kKeep = ~((Bits{1} << (kMantissaBits<From> - kMantissaBits<To>)) - 1);
  constexpr Bits kExponent = (~Bits{0} >> (kMantissaBits<From> + 1)) << kMantissaBits<From>;
  auto bits = bits_as<Bits>(v);
  if ((bits & kExponent) != kExponent) bits &= kKeep;
  return convert<To>(bits_as<From>(bits));
}

}  // namespace troupe::launchable

#define TROUPE_CAST(from, From, to, To) \
  TROUPE_KERNEL(cast_##from##_##to, (const From* x, To* y, int64_t n)) { convert_all(x, y, n); }
#define TROUPE_CASTS(from, From)                                                                                             \
  TROUPE_CAST(from, From, f32, float) TROUPE_CAST(from, From, f64, double) TROUPE_CAST(from, From, f16, half_t)              \
  TROUPE_CAST(from, From, bf16, bfloat16_t) TROUPE_CAST(from, From, c64, complex64_t) TROUPE_CAST(from, From, c128, complex128_t) \
  TROUPE_CAST(from, From, b, bool) TROUPE_CAST(from, From, i8, int8_t) TROUPE_CAST(from, From, i16, int16_t)                 \
  TROUPE_CAST(from, From, i32, int32_t) TROUPE_CAST(from, From, i64, int64_t) TROUPE_CAST(from, From, u8, uint8_t)           \
  TROUPE_CAST(from, From, u16, uint16_t) TROUPE_CAST(from, From, u32, uint32_t) TROUPE_CAST(from, From, u64, uint64_t)
TROUPE_CASTS(f32, float)
TROUPE_CASTS(f64, double)
TROUPE_CASTS(f16, half_t)
TROUPE_CASTS(bf16, bfloat16_t)
TROUPE_CASTS(c64, complex64_t)
TROUPE_CASTS(c128, complex128_t)
TROUPE_CASTS(b, bool)
TROUPE_CASTS(i8, int8_t)
TROUPE_CASTS(i16, int16_t)
TROUPE_CASTS(i32, int32_t)
TROUPE_CASTS(i64, int64_t)
TROUPE_CASTS(u8, uint8_t)
TROUPE_CASTS(u16, uint16_t)
TROUPE_CASTS(u32, uint32_t)
TROUPE_CASTS(u64, uint64_t)

#define TROUPE_TRUNCATING(from, From, to, To) \
  TROUPE_KERNEL(truncating_cast_##from##_##to, (const From* x, To* y, int64_t n)) { TROUPE_FOR_EACH(i, n) y[i] = truncated<From, To>(x[i]); }
TROUPE_TRUNCATING(f32, float, f16, half_t)
TROUPE_TRUNCATING(f32, float, bf16, bfloat16_t)
TROUPE_TRUNCATING(f64, double, f16, half_t)
TROUPE_TRUNCATING(f64, double, bf16, bfloat16_t)
TROUPE_TRUNCATING(f64, double, f32, float)
