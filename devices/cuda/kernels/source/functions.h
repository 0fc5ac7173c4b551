#pragma once

#include "devices/cuda/kernels/source/complex_math.h"
#include "devices/cuda/kernels/source/operations.h"

// Functions of one number, activations of neural networks, and gradients: for their ops and for _FusedElementwise.

namespace troupe::launchable {

#define TROUPE_FUNCTION(Name, function)      \
  struct Name {                              \
    template <class T>                       \
    TROUPE_DEVICE T operator()(T a) const {  \
      if constexpr (is_complex_v<T>) {       \
        return launchable::function(a);      \
      } else {                               \
        return std::function(a);             \
      }                                      \
    }                                        \
  };
TROUPE_FUNCTION(ExpOp, exp)
TROUPE_FUNCTION(LogOp, log)
TROUPE_FUNCTION(SqrtOp, sqrt)
TROUPE_FUNCTION(TanhOp, tanh)
TROUPE_FUNCTION(SinOp, sin)
TROUPE_FUNCTION(CosOp, cos)
TROUPE_FUNCTION(TanOp, tan)
TROUPE_FUNCTION(SinhOp, sinh)
TROUPE_FUNCTION(CoshOp, cosh)
#undef TROUPE_FUNCTION

struct RsqrtOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return T(1) / SqrtOp()(a);
  }
};
struct Expm1Op {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    if constexpr (is_complex_v<T>) {
      // exp(x + iy) - 1 without cancellation near 0.
      const auto e = std::expm1(a.re);
      const auto s = std::sin(a.im / 2);
      return T(e * std::cos(a.im) - 2 * s * s, (e + 1) * std::sin(a.im));
    } else {
      return std::expm1(a);
    }
  }
};
struct Log1pOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    if constexpr (is_complex_v<T>) {
      const auto x = a.re;
      const auto y = a.im;
      // Where the squares would overflow, the one does not count.
      if (std::fabs(x) > 1e18F || std::fabs(y) > 1e18F) return log(a);
      return T(std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x));
    } else {
      return std::log1p(a);
    }
  }
};
struct SigmoidOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return T(1) / (T(1) + ExpOp()(-a));
  }
};
struct ErfOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return std::erf(a);
  }
};

// Klambauer et al., "Self-Normalizing Neural Networks" (2017).
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

/// NaN stays NaN.
struct ReluOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return a < T(0) ? T(0) : a;
  }
};
struct Relu6Op {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return a < T(0) ? T(0) : (a > T(6) ? T(6) : a);
  }
};
struct EluOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return a < 0 ? std::expm1(a) : a;
  }
};
struct SeluOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return a < 0 ? static_cast<T>(kSeluScaleAlpha) * std::expm1(a) : static_cast<T>(kSeluScale) * a;
  }
};
/// log(1 + exp(a)), where large a are their own result and small ones that of exp.
struct SoftplusOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    constexpr T kEpsilon = sizeof(T) == 4 ? static_cast<T>(1.1920928955078125e-07) : static_cast<T>(2.220446049250313e-16);
    const T threshold = std::log(kEpsilon) + T(2);
    if (a > -threshold) return a;
    return a < threshold ? std::exp(a) : std::log1p(std::exp(a));
  }
};
struct SoftsignOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return a / (std::fabs(a) + T(1));
  }
};

// Gradients: of the first operand, given the input ("features") or the output of the function as the second.
// A gradient that is no number, or infinite, is no number behind a zero either.
struct ReluGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T g, T x) const {
    return g * static_cast<T>(x > T(0));
  }
};
struct Relu6GradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T g, T x) const {
    return g * static_cast<T>(x > T(0) && x < T(6));
  }
};
struct EluGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T g, T y) const {
    return y < 0 ? (y + T(1)) * g : g;
  }
};
struct SeluGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T g, T y) const {
    return y < 0 ? g * (y + static_cast<T>(kSeluScaleAlpha)) : g * static_cast<T>(kSeluScale);
  }
};
struct SoftplusGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T g, T x) const {
    return g / (std::exp(-x) + T(1));
  }
};
struct SoftsignGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T g, T x) const {
    const T d = T(1) + std::fabs(x);
    return g / (d * d);
  }
};

// Gradients by outputs y and the gradients dy of these.
template <class T>
TROUPE_DEVICE T conjugate(T a) {
  if constexpr (is_complex_v<T>) {
    return conj(a);
  } else {
    return a;
  }
}
struct SigmoidGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T y, T dy) const {
    return y * (T(1) - y) * dy;
  }
};
struct TanhGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T y, T dy) const {
    return dy * (T(1) - y * y);
  }
};
/// Nothing comes of no gradient, whatever y is: as TensorFlow has it for the next three.
struct SqrtGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T y, T dy) const {
    return dy == T(0) ? T(0) : T(0.5F) * dy / conjugate(y);
  }
};
struct RsqrtGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T y, T dy) const {
    const T c = conjugate(y);
    return dy == T(0) ? T(0) : T(-0.5F) * dy * (c * c * c);
  }
};
struct ReciprocalGradOp {
  template <class T>
  TROUPE_DEVICE T operator()(T y, T dy) const {
    const T c = conjugate(y);
    return dy == T(0) ? T(0) : -c * c * dy;
  }
};

}  // namespace troupe::launchable
