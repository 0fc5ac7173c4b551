#pragma once

#include "devices/cpu/loops/vector_ops.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace troupe {

/// Floats of 16 bits, which are calculated as float.
template <class T>
inline constexpr bool is_narrow_float_v =
    std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

/// n numbers as floats.
template <class T>
void widen(const T* in, float* out, int64_t n) {
  static_assert(is_narrow_float_v<T>);
  const FloatCasts& casts = vector_loops().casts;
  (std::is_same_v<T, Eigen::half> ? casts.from_half : casts.from_bfloat16)(in, out, n);
}
/// And back, rounded to even.
template <class T>
void narrow(const float* in, T* out, int64_t n) {
  static_assert(is_narrow_float_v<T>);
  const FloatCasts& casts = vector_loops().casts;
  (std::is_same_v<T, Eigen::half> ? casts.to_half : casts.to_bfloat16)(in, out, n);
}

/// Elements that are widened at a time: a kilobyte, which stays in the first-level cache.
inline constexpr int64_t kWidenedChunk = 256;

/// A row of an Op that vector_loops() has for two floats.
template <class Op, class T>
void narrow_binary_row(const T* x, const T* y, T* out, int64_t n, RowMode mode) {
  float a[kWidenedChunk], b[kWidenedChunk];
  if (mode == RowMode::kScalarA) a[0] = static_cast<float>(x[0]);
  if (mode == RowMode::kScalarB) b[0] = static_cast<float>(y[0]);
  float* const result = mode == RowMode::kScalarA ? b : a;
  for (int64_t begin = 0; begin < n; begin += kWidenedChunk) {
    const int64_t m = std::min(n - begin, kWidenedChunk);
    if (mode != RowMode::kScalarA) widen(x + begin, a, m);
    if (mode != RowMode::kScalarB) widen(y + begin, b, m);
    (vector_pairs<float>().*Op::kVector)(a, b, result, m, mode);
    narrow(result, out + begin, m);
  }
}

}  // namespace troupe
