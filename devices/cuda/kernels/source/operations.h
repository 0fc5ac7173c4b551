#pragma once

#include "devices/cuda/kernels/source/elementwise.h"

// Operations on one and two numbers that several kernels have: those of their ops, and _FusedElementwise. Of complex numbers where
// the bodies say so, of integers with wrapping.

namespace troupe::launchable {

struct AddOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) + static_cast<wrap_t<T>>(b));
    } else {
      return a + b;
    }
  }
};
struct SubOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) - static_cast<wrap_t<T>>(b));
    } else {
      return a - b;
    }
  }
};
struct MulOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) * static_cast<wrap_t<T>>(b));
    } else {
      return a * b;
    }
  }
};
struct MulNoNanOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return b == T(0) ? T(0) : a * b;
  }
};
/// (a - b) times its conjugate.
struct SquaredDifferenceOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    const T d = SubOp()(a, b);
    if constexpr (is_complex_v<T>) {
      return T(norm(d), 0);
    } else {
      return MulOp()(d, d);
    }
  }
};
/// NaN in either operand is the result.
struct MaximumOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a != a ? a : (b != b ? b : (a < b ? b : a));
  }
};
struct MinimumOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a != a ? a : (b != b ? b : (b < a ? b : a));
  }
};
struct DivideOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a / b;
  }
};
struct DivNoNanOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return b == T(0) ? T(0) : a / b;
  }
};

struct AbsOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    if constexpr (std::is_integral_v<T>) {
      return a < 0 ? static_cast<T>(wrap_t<T>(0) - static_cast<wrap_t<T>>(a)) : a;
    } else {
      return std::fabs(a);
    }
  }
};
struct NegOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(wrap_t<T>(0) - static_cast<wrap_t<T>>(a));
    } else {
      return -a;
    }
  }
};
/// Of a complex number: the number of length 1 in the same direction. NaN stays, -0 becomes 0.
struct SignOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    if constexpr (is_complex_v<T>) {
      const auto length = abs(a);
      return length == 0 ? T(0) : T(a.re / length, a.im / length);
    } else {
      return a > T(0) ? T(1) : (a < T(0) ? static_cast<T>(-1) : (a == T(0) ? T(0) : a));
    }
  }
};
struct SquareOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return MulOp()(a, a);
  }
};
struct ReciprocalOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return T(1) / a;
  }
};
struct FloorOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return std::floor(a);
  }
};
struct CeilOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return std::ceil(a);
  }
};

}  // namespace troupe::launchable
