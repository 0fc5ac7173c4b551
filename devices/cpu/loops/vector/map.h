#pragma once
// A function of registers over rows of elements; see registers.h for who may include it. What is behind a row's last whole register
// goes through one that is not full: an element's value does not depend on its place.
#include "devices/cpu/loops/row.h"
#include "devices/cpu/loops/vector/vec.h"

namespace troupe::TROUPE_ISA {

/// out[i] = f(in[i]). `out` may be `in`.
template <class T, class F>
TROUPE_INLINE void map(const T* in, T* out, int64_t n, F f) {
  constexpr int64_t kStep = kWidth<T>;
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) store(out + i, f(load(in + i)));
  if (i < n) store_part(out + i, f(load_part(in + i, n - i)), n - i);
}

/// out[i] = f(a[i], b[i]). `out` may be either.
template <class T, class F>
TROUPE_INLINE void zip(const T* a, const T* b, T* out, int64_t n, F f) {
  constexpr int64_t kStep = kWidth<T>;
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) store(out + i, f(load(a + i), load(b + i)));
  if (i < n) store_part(out + i, f(load_part(a + i, n - i), load_part(b + i, n - i)), n - i);
}

/// A BinaryRow of elements T.
template <class T, class F>
bool pair_row(const void* a, const void* b, void* out, int64_t n, RowMode mode) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  T* o = static_cast<T*>(out);
  if (n == 0) return true;
  if (mode == RowMode::kBoth) {
    zip(x, y, o, n, F());
  } else if (mode == RowMode::kScalarA) {
    const Vec<T> s = splat(x[0]);
    map(y, o, n, [s](Vec<T> v) TROUPE_INLINE_LAMBDA { return F()(s, v); });
  } else {
    const Vec<T> s = splat(y[0]);
    map(x, o, n, [s](Vec<T> v) TROUPE_INLINE_LAMBDA { return F()(v, s); });
  }
  return true;
}

}  // namespace troupe::TROUPE_ISA
