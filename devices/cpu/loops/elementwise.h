#pragma once

#include "devices/cpu/loops/narrow_floats.h"
#include "devices/cpu/loops/row.h"
#include "devices/cpu/loops/vector_ops.h"

#include <Eigen/Core>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

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
    if constexpr (VectorPair<Op, T, R>) {
      if (n >= kVectorFrom || requires { Op::kVectorAlways; })
        return (vector_pairs<T>().*Op::kVector)(a, b, out, n, mode);
    } else if constexpr (is_narrow_float_v<T> && std::is_same_v<T, R> && VectorPair<Op, float, float>) {
      if (n >= kVectorFrom || requires { Op::kVectorAlways; }) {
        narrow_binary_row<Op>(x, y, o, n, mode);
        return true;
      }
    }
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

/// An Op whose vector code is better known than its loop: `Op::kVector` for floats, or `Op::block(const C* in, C* out, n)`.
template <class Op, class C>
concept BlockFunction = VectorFunction<Op, C> || requires(const C* p, C* q) {
  Op::block(p, q, int64_t{});
};

template <class Op, class C>
void function_block(const C* in, C* out, int64_t n) {
  if constexpr (VectorFunction<Op, C>) {
    (vector_loops().functions.*Op::kVector)(in, out, n);
  } else {
    Op::block(in, out, n);
  }
}

/// A row of an Op with two kinds of calls: per element, or for blocks of compute types.
template <class Op, class T, class R>
void unary_row(const void* in, void* out, int64_t n) {
  using C = compute_t<T>;
  const T* x = static_cast<const T*>(in);
  R* o = static_cast<R*>(out);
  if constexpr (BlockFunction<Op, C> && std::is_same_v<T, C> && std::is_same_v<R, C>) {
    function_block<Op>(x, o, n);
  } else if constexpr (BlockFunction<Op, C> && std::is_same_v<T, R>) {
    float buffer[kWidenedChunk];
    for (int64_t begin = 0; begin < n; begin += kWidenedChunk) {
      const int64_t m = std::min(n - begin, kWidenedChunk);
      widen(x + begin, buffer, m);
      function_block<Op>(buffer, buffer, m);
      narrow(buffer, o + begin, m);
    }
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = element_cast<R>(Op()(element_cast<C>(x[i])));
  }
}

}  // namespace troupe
