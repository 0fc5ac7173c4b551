#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include <Eigen/Core>

namespace troupe {

/// The type in which kernels calculate with elements of type T: 16-bit floats as float, all others as themselves.
template <class T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<Eigen::half> {
  using type = float;
};
template <>
struct ComputeType<Eigen::bfloat16> {
  using type = float;
};
template <class T>
using compute_t = typename ComputeType<T>::type;

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<std::complex<T>> = true;
/// True for float, double and the 16-bit floats.
template <class T>
inline constexpr bool is_float_v = std::is_floating_point_v<compute_t<T>>;

/// An unsigned type wide enough that sums and products of T wrap in it without integer promotion to int.
template <class T>
using wrap_t =
    std::conditional_t<(sizeof(T) < 4), uint32_t,
                       std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>>;

/// Conversions between elements and what is calculated with; without them where both are the same.
template <class To, class From>
inline To element_cast(const From& v) {
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else {
    return static_cast<To>(v);
  }
}

/// Which operand of a row is one element that stands for all.
enum class RowMode : uint8_t { kBoth, kScalarA, kScalarB };

/// out[i] = op(a[i], b[i]) for a row of n elements, where an operand may be a single element. Returns false when an
/// element had no result (integer division by zero); the caller knows the message.
using BinaryRow = bool (*)(const void* a, const void* b, void* out, int64_t n, RowMode mode);
/// out[i] = op(in[i]). `out` may be `in` when the element sizes are equal.
using UnaryRow = void (*)(const void* in, void* out, int64_t n);

/// Op is a function object of two compute_t<T>; with `static constexpr bool kChecked = true` it has a further
/// argument bool&, which it sets when it has no result. Rows may be written over an operand: element i is only
/// read before it is written, which the loops tell the compiler.
template <class Op, class T, class R>
bool binary_row(const void* a, const void* b, void* out, int64_t n, RowMode mode) {
  using C = compute_t<T>;
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  R* o = static_cast<R*>(out);
  if constexpr (requires { Op::kChecked; }) {
    bool bad = false;
    const int64_t step_x = mode == RowMode::kScalarA ? 0 : 1;
    const int64_t step_y = mode == RowMode::kScalarB ? 0 : 1;
    const C first_x = n > 0 ? element_cast<C>(x[0]) : C();
    const C first_y = n > 0 ? element_cast<C>(y[0]) : C();
    for (int64_t i = 0; i < n; ++i) {
      o[i] = element_cast<R>(Op()(step_x == 0 ? first_x : element_cast<C>(x[i]),
                                  step_y == 0 ? first_y : element_cast<C>(y[i]), bad));
    }
    return !bad;
  } else {
    if (n == 0) return true;
    if (mode == RowMode::kBoth) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i)
        o[i] = element_cast<R>(Op()(element_cast<C>(x[i]), element_cast<C>(y[i])));
    } else if (mode == RowMode::kScalarA) {
      const C s = element_cast<C>(x[0]);
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) o[i] = element_cast<R>(Op()(s, element_cast<C>(y[i])));
    } else {
      const C s = element_cast<C>(y[0]);
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) o[i] = element_cast<R>(Op()(element_cast<C>(x[i]), s));
    }
    return true;
  }
}

/// A row of an Op with two kinds of calls: per element, or `Op::block(const C* in, C* out, int64_t n)` for
/// compute types whose vector code the Op knows better.
template <class Op, class T, class R>
void unary_row(const void* in, void* out, int64_t n) {
  using C = compute_t<T>;
  const T* x = static_cast<const T*>(in);
  R* o = static_cast<R*>(out);
  if constexpr (requires(const C* p, C* q) { Op::block(p, q, n); } && std::is_same_v<T, C> &&
                std::is_same_v<R, C>) {
    Op::block(x, o, n);
  } else if constexpr (requires(const C* p, C* q) { Op::block(p, q, n); } && std::is_same_v<T, R>) {
    constexpr int64_t kChunk = 256;
    C buffer[kChunk];
    for (int64_t begin = 0; begin < n; begin += kChunk) {
      int64_t m = n - begin < kChunk ? n - begin : kChunk;
      for (int64_t i = 0; i < m; ++i) buffer[i] = element_cast<C>(x[begin + i]);
      Op::block(buffer, buffer, m);
      for (int64_t i = 0; i < m; ++i) o[begin + i] = element_cast<R>(buffer[i]);
    }
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = element_cast<R>(Op()(element_cast<C>(x[i])));
  }
}

}  // namespace troupe
