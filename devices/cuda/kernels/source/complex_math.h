#pragma once

#include "devices/cuda/kernels/source/scalars.h"

// Functions of complex numbers, by those of their parts.

namespace troupe::launchable {

template <class T>
TROUPE_DEVICE complex_t<T> exp(complex_t<T> z) {
  const T length = std::exp(z.re);
  if (z.im == 0 || length == 0) return {length, length * z.im};
  return {length * std::cos(z.im), length * std::sin(z.im)};
}
template <class T>
TROUPE_DEVICE T arg(complex_t<T> z) {
  return std::atan2(z.im, z.re);
}
template <class T>
TROUPE_DEVICE complex_t<T> log(complex_t<T> z) {
  return {std::log(abs(z)), arg(z)};
}
template <class T>
TROUPE_DEVICE complex_t<T> sqrt(complex_t<T> z) {
  if (std::isinf(z.im)) return {static_cast<T>(INFINITY), z.im};
  if (z.re == 0 && z.im == 0) return {T(0), z.im};
  const T root = std::sqrt(std::fabs(z.re) / 2 + abs(z) / 2);
  if (std::isinf(root)) return z.re > 0 ? complex_t<T>(root, std::copysign(T(0), z.im)) : complex_t<T>(0, std::copysign(root, z.im));
  if (z.re >= 0) return {root, z.im / (2 * root)};
  return {std::fabs(z.im) / (2 * root), std::copysign(root, z.im)};
}
template <class T>
TROUPE_DEVICE complex_t<T> sin(complex_t<T> z) {
  return {std::sin(z.re) * std::cosh(z.im), std::cos(z.re) * std::sinh(z.im)};
}
template <class T>
TROUPE_DEVICE complex_t<T> cos(complex_t<T> z) {
  return {std::cos(z.re) * std::cosh(z.im), -std::sin(z.re) * std::sinh(z.im)};
}
template <class T>
TROUPE_DEVICE complex_t<T> sinh(complex_t<T> z) {
  return {std::sinh(z.re) * std::cos(z.im), std::cosh(z.re) * std::sin(z.im)};
}
template <class T>
TROUPE_DEVICE complex_t<T> cosh(complex_t<T> z) {
  return {std::cosh(z.re) * std::cos(z.im), std::sinh(z.re) * std::sin(z.im)};
}
/// Kahan's way ("Branch cuts for complex elementary functions", 1987), which does not overflow.
template <class T>
TROUPE_DEVICE complex_t<T> tanh(complex_t<T> z) {
  if (std::fabs(z.re) > 20) {
    const T decay = std::exp(-2 * std::fabs(z.re));
    return {std::copysign(T(1), z.re), 4 * std::sin(z.im) * std::cos(z.im) * decay};
  }
  const T t = std::tan(z.im);
  const T s = std::sinh(z.re);
  const T beta = 1 + t * t;
  const T denominator = 1 + beta * s * s;
  return {beta * std::sqrt(1 + s * s) * s / denominator, t / denominator};
}
template <class T>
TROUPE_DEVICE complex_t<T> tan(complex_t<T> z) {
  const complex_t<T> w = tanh(complex_t<T>(-z.im, z.re));
  return {w.im, -w.re};
}
template <class T>
TROUPE_DEVICE complex_t<T> pow(complex_t<T> a, complex_t<T> b) {
  if (b == complex_t<T>(0)) return 1;
  if (a == complex_t<T>(0)) return b.re > 0 ? complex_t<T>(0) : complex_t<T>(1) / a;
  return exp(b * log(a));
}

}  // namespace troupe::launchable
