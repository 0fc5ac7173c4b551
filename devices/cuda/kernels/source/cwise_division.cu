// Division, remainders and powers: what integers cannot always do. A GPU cannot say so: a quotient by zero has all bits set, as the
// hardware answers, a remainder is the dividend, and a negative power of an integer is 0.
#include "devices/cuda/kernels/source/complex_math.h"
#include "devices/cuda/kernels/source/operations.h"

namespace troupe::launchable {

/// Towards zero; lowest / -1 wraps.
struct TruncatedQuotient {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T q = a / b;
      return q < 0 ? std::ceil(q) : std::floor(q);
    } else {
      if (b == 0) return static_cast<T>(~T(0));
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return static_cast<T>(wrap_t<T>(0) - static_cast<wrap_t<T>>(a));
      }
      return static_cast<T>(a / b);
    }
  }
};
struct TruncatedRemainder {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      if (b == 0) return a;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
      }
      return static_cast<T>(a % b);
    }
  }
};
template <class T>
TROUPE_DEVICE bool signs_differ(T a, T b) {
  if constexpr (std::is_unsigned_v<T>) {
    return false;
  } else {
    return (a < 0) != (b < 0);
  }
}
struct FlooredQuotient {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(a / b);
    } else {
      const T q = TruncatedQuotient()(a, b);
      const T r = TruncatedRemainder()(a, b);
      return b != 0 && r != 0 && signs_differ(r, b) ? static_cast<T>(q - 1) : q;
    }
  }
};
struct FlooredRemainder {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    const T r = TruncatedRemainder()(a, b);
    return b != 0 && r != 0 && signs_differ(r, b) ? static_cast<T>(r + b) : r;
  }
};
struct XdivyOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a == T(0) ? T(0) : a / b;
  }
};
/// Integers by squaring; wraps.
struct PowOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    if constexpr (is_complex_v<T>) {
      return pow(a, b);
    } else if constexpr (std::is_floating_point_v<T>) {
      return std::pow(a, b);
    } else {
      if (b < 0) return 0;
      wrap_t<T> base = static_cast<wrap_t<T>>(a);
      wrap_t<T> result = 1;
      for (; b != 0; b = static_cast<T>(b >> 1)) {
        if (b & 1) result *= base;
        base *= base;
      }
      return static_cast<T>(result);
    }
  }
};

}  // namespace troupe::launchable

TROUPE_FLOATS(TROUPE_BINARY, divide, DivideOp)
TROUPE_COMPLEXES(TROUPE_BINARY, divide, DivideOp)
TROUPE_INTS(TROUPE_BINARY, truncate_div, TruncatedQuotient)
TROUPE_FLOATS(TROUPE_BINARY, truncate_div, TruncatedQuotient)
TROUPE_INTS(TROUPE_BINARY, floor_div, FlooredQuotient)
TROUPE_FLOATS(TROUPE_BINARY, floor_div, FlooredQuotient)
TROUPE_INTS(TROUPE_BINARY, floor_mod, FlooredRemainder)
TROUPE_FLOATS(TROUPE_BINARY, floor_mod, FlooredRemainder)
TROUPE_BINARY(truncate_mod, TruncatedRemainder, i64, int64_t)
TROUPE_WIDE(TROUPE_BINARY, truncate_mod, TruncatedRemainder)
TROUPE_FLOATS(TROUPE_BINARY, div_no_nan, DivNoNanOp)
TROUPE_COMPLEXES(TROUPE_BINARY, div_no_nan, DivNoNanOp)
TROUPE_FLOATS(TROUPE_BINARY, xdivy, XdivyOp)
TROUPE_COMPLEXES(TROUPE_BINARY, xdivy, XdivyOp)
TROUPE_FLOATS(TROUPE_BINARY, pow, PowOp)
TROUPE_COMPLEXES(TROUPE_BINARY, pow, PowOp)
TROUPE_SIGNED(TROUPE_BINARY, pow, PowOp)
