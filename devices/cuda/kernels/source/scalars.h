#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// Element types of kernels that C++ has none for. The same bits as graph/tensor's, without Eigen; for nvcc and for the host's compiler.

#ifdef __CUDACC__
#define TROUPE_DEVICE __host__ __device__ inline
#else
#define TROUPE_DEVICE inline
#endif

namespace troupe::launchable {

template <class To, class From>
TROUPE_DEVICE To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// IEEE's 16 bits. Computes as float; from float by rounding to the nearest even.
struct half_t {
  uint16_t bits;

  half_t() = default;
  TROUPE_DEVICE half_t(float f) : bits(from_float(f)) {}  // NOLINT: arithmetic goes through float
  TROUPE_DEVICE operator float() const { return to_float(bits); }

  static TROUPE_DEVICE uint16_t from_float(float f) {
#ifdef __CUDA_ARCH__
    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
#else
    uint32_t x = bits_as<uint32_t>(f);
    const auto sign = static_cast<uint16_t>(x >> 16 & 0x8000);
    x &= 0x7fffffff;
    if (x > 0x7f800000) return sign | 0x7e00;   // not a number
    if (x >= 0x47800000) return sign | 0x7c00;  // 65536 and more
    if (x < 0x38800000) {
      // Has no normal half: adding 0.5 rounds the digits into their places.
      return static_cast<uint16_t>(sign | (bits_as<uint32_t>(bits_as<float>(x) + 0.5F) - 0x3f000000));
    }
    x += 0xc8000fff + (x >> 13 & 1);
    return static_cast<uint16_t>(sign | x >> 13);
#endif
  }

  static TROUPE_DEVICE float to_float(uint16_t h) {
#ifdef __CUDA_ARCH__
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    uint32_t x = (h & 0x7fffU) << 13;
    const uint32_t exponent = x & 0x0f800000;
    x += 112U << 23;
    if (exponent == 0x0f800000) {
      x += 112U << 23;
    } else if (exponent == 0) {
      x = bits_as<uint32_t>(bits_as<float>(x + (1U << 23)) - bits_as<float>(113U << 23));
    }
    return bits_as<float>(x | (h & 0x8000U) << 16);
#endif
  }
};

/// The upper 16 bits of a float. Computes as float; from float by rounding to the nearest even.
struct bfloat16_t {
  uint16_t bits;

  bfloat16_t() = default;
  TROUPE_DEVICE bfloat16_t(float f) : bits(from_float(f)) {}  // NOLINT: arithmetic goes through float
  TROUPE_DEVICE operator float() const { return bits_as<float>(static_cast<uint32_t>(bits) << 16); }

  static TROUPE_DEVICE uint16_t from_float(float f) {
    const uint32_t x = bits_as<uint32_t>(f);
    if ((x & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>((x >> 16 & 0x8000) | 0x7fc0);
    return static_cast<uint16_t>((x + 0x7fff + (x >> 16 & 1)) >> 16);
  }
};

/// A complex number, laid out as std::complex<T>.
template <class T>
struct complex_t {
  T re;
  T im;

  complex_t() = default;
  TROUPE_DEVICE complex_t(T r, T i = 0) : re(r), im(i) {}  // NOLINT: a real number is one

  TROUPE_DEVICE T real() const { return re; }
  TROUPE_DEVICE T imag() const { return im; }

  friend TROUPE_DEVICE complex_t operator-(complex_t a) { return {-a.re, -a.im}; }
  friend TROUPE_DEVICE complex_t operator+(complex_t a, complex_t b) { return {a.re + b.re, a.im + b.im}; }
  friend TROUPE_DEVICE complex_t operator-(complex_t a, complex_t b) { return {a.re - b.re, a.im - b.im}; }
  friend TROUPE_DEVICE complex_t operator*(complex_t a, complex_t b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// Smith's way, which does not overflow early.
  friend TROUPE_DEVICE complex_t operator/(complex_t a, complex_t b) {
    if (b.re == 0 && b.im == 0) {
      const T huge = std::copysign(static_cast<T>(INFINITY), b.re);
      return {huge * a.re, huge * a.im};
    }
    if (std::fabs(b.re) >= std::fabs(b.im)) {
      const T r = b.im / b.re;
      const T d = b.re + b.im * r;
      return {(a.re + a.im * r) / d, (a.im - a.re * r) / d};
    }
    const T r = b.re / b.im;
    const T d = b.re * r + b.im;
    return {(a.re * r + a.im) / d, (a.im * r - a.re) / d};
  }
  TROUPE_DEVICE complex_t& operator+=(complex_t b) { return *this = *this + b; }
  TROUPE_DEVICE complex_t& operator-=(complex_t b) { return *this = *this - b; }
  TROUPE_DEVICE complex_t& operator*=(complex_t b) { return *this = *this * b; }
  TROUPE_DEVICE complex_t& operator/=(complex_t b) { return *this = *this / b; }
  friend TROUPE_DEVICE bool operator==(complex_t a, complex_t b) { return a.re == b.re && a.im == b.im; }
  friend TROUPE_DEVICE bool operator!=(complex_t a, complex_t b) { return !(a == b); }
};
using complex64_t = complex_t<float>;
using complex128_t = complex_t<double>;

template <class T>
TROUPE_DEVICE complex_t<T> conj(complex_t<T> a) {
  return {a.re, -a.im};
}
template <class T>
TROUPE_DEVICE T norm(complex_t<T> a) {
  return a.re * a.re + a.im * a.im;
}
template <class T>
TROUPE_DEVICE T abs(complex_t<T> a) {
  return std::hypot(a.re, a.im);
}

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<complex_t<T>> = true;
/// half_t and bfloat16_t.
template <class T>
inline constexpr bool is_narrow_v = false;
template <>
inline constexpr bool is_narrow_v<half_t> = true;
template <>
inline constexpr bool is_narrow_v<bfloat16_t> = true;

template <class T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<half_t> {
  using type = float;
};
template <>
struct ComputeType<bfloat16_t> {
  using type = float;
};
/// In what type a kernel computes elements of T: float for the floats of 16 bits, else T.
template <class T>
using compute_t = typename ComputeType<T>::type;

}  // namespace troupe::launchable
