// Element-wise operations of three or more operands of one shape.
#include "devices/cuda/kernels/cwise_args.h"
#include "devices/cuda/kernels/source/operations.h"

using troupe::Summands;

namespace troupe::launchable {

/// The larger of `low` and the smaller of x and `high`; NaN stays. Complex numbers part by part.
template <class T>
TROUPE_DEVICE T clip(T x, T low, T high) {
  if constexpr (is_complex_v<T>) {
    return T(clip(x.re, low.re, high.re), clip(x.im, low.im, high.im));
  } else {
    const T t = high < x ? high : x;
    return t < low ? low : t;
  }
}

/// In their order; y may be one of them.
template <class T>
TROUPE_DEVICE_ONLY void add_all(const Summands& summands, T* y, int64_t n) {
  using C = compute_t<T>;
  TROUPE_FOR_EACH(i, n) {
    C sum = static_cast<const T*>(summands.data[0])[i];
    TROUPE_KEEP_LOOP
    for (int k = 1; k < summands.count; ++k) sum = AddOp()(sum, static_cast<C>(static_cast<const T*>(summands.data[k])[i]));
    y[i] = static_cast<T>(sum);
  }
}

}  // namespace troupe::launchable

#define TROUPE_ADD_N(name, Op, suffix, T) \
  TROUPE_KERNEL(name##_##suffix, (Summands summands, T* y, int64_t n)) { add_all<T>(summands, y, n); }
TROUPE_FLOATS(TROUPE_ADD_N, add_n, )
TROUPE_COMPLEXES(TROUPE_ADD_N, add_n, )
TROUPE_INTS(TROUPE_ADD_N, add_n, )

/// Steps are 0 or 1.
#define TROUPE_CLIP(name, Op, suffix, T)                                                                                            \
  TROUPE_KERNEL(name##_##suffix, (const T* x, const T* low, int64_t step_low, const T* high, int64_t step_high, T* y, int64_t n)) { \
    using C = compute_t<T>;                                                                                                         \
    TROUPE_FOR_EACH(i, n) {                                                                                                         \
      y[i] = static_cast<T>(clip(static_cast<C>(x[i]), static_cast<C>(low[i * step_low]), static_cast<C>(high[i * step_high])));    \
    }                                                                                                                               \
  }
TROUPE_FLOATS(TROUPE_CLIP, clip, )
TROUPE_COMPLEXES(TROUPE_CLIP, clip, )
TROUPE_SIGNED(TROUPE_CLIP, clip, )
TROUPE_CLIP(clip, , u8, uint8_t)
TROUPE_CLIP(clip, , u16, uint16_t)

#define TROUPE_APPROXIMATE(name, Op, suffix, T)                                                       \
  TROUPE_KERNEL(name##_##suffix, (const T* a, const T* b, bool* y, int64_t n, float tolerance)) {     \
    TROUPE_FOR_EACH(i, n) { y[i] = std::fabs(a[i] - b[i]) < static_cast<T>(tolerance); }              \
  }
TROUPE_WIDE(TROUPE_APPROXIMATE, approximate_equal, )
