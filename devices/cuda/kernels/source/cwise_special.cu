// Special functions: those of the C library, and Eigen's ports of Cephes, as on the CPU. The only source that includes Eigen.
#include "devices/cuda/kernels/source/functions.h"

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

namespace troupe::launchable {

#define TROUPE_SPECIAL(Name, function)       \
  struct Name {                              \
    template <class T>                       \
    TROUPE_DEVICE T operator()(T a) const {  \
      return function(a);                    \
    }                                        \
  };
TROUPE_SPECIAL(ErfcOp, std::erfc)
TROUPE_SPECIAL(DigammaOp, Eigen::numext::digamma)
TROUPE_SPECIAL(BesselI0Op, Eigen::numext::bessel_i0)
TROUPE_SPECIAL(BesselI0eOp, Eigen::numext::bessel_i0e)
TROUPE_SPECIAL(BesselI1Op, Eigen::numext::bessel_i1)
TROUPE_SPECIAL(BesselI1eOp, Eigen::numext::bessel_i1e)
TROUPE_SPECIAL(BesselJ0Op, Eigen::numext::bessel_j0)
TROUPE_SPECIAL(BesselJ1Op, Eigen::numext::bessel_j1)
TROUPE_SPECIAL(BesselK0Op, Eigen::numext::bessel_k0)
TROUPE_SPECIAL(BesselK0eOp, Eigen::numext::bessel_k0e)
TROUPE_SPECIAL(BesselK1Op, Eigen::numext::bessel_k1)
TROUPE_SPECIAL(BesselK1eOp, Eigen::numext::bessel_k1e)
TROUPE_SPECIAL(BesselY0Op, Eigen::numext::bessel_y0)
TROUPE_SPECIAL(BesselY1Op, Eigen::numext::bessel_y1)
#undef TROUPE_SPECIAL

/// The re-entrant form on the host: lgamma writes a global there.
struct LgammaOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
#ifdef __CUDACC__
    return ::lgamma(a);
#else
    int sign;
    if constexpr (sizeof(T) == 4) {
      return lgammaf_r(a, &sign);
    } else {
      return lgamma_r(a, &sign);
    }
#endif
  }
};
/// Quantile of the normal distribution; NaN outside [0, 1].
struct NdtriOp {
  template <class T>
  TROUPE_DEVICE T operator()(T p) const {
    return p >= T(0) && p <= T(1) ? Eigen::numext::ndtri(p) : static_cast<T>(NAN);
  }
};
/// erfinv(x) = ndtri((x + 1) / 2) / sqrt(2).
struct ErfinvOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return NdtriOp()((a + T(1)) / T(2)) * static_cast<T>(0.70710678118654752440);
  }
};

#define TROUPE_SPECIAL2(Name, function)          \
  struct Name {                                  \
    template <class T>                           \
    TROUPE_DEVICE T operator()(T a, T b) const { \
      return function(a, b);                     \
    }                                            \
  };
TROUPE_SPECIAL2(IgammaOp, Eigen::numext::igamma)
TROUPE_SPECIAL2(IgammacOp, Eigen::numext::igammac)
TROUPE_SPECIAL2(IgammaGradOp, Eigen::numext::igamma_der_a)
TROUPE_SPECIAL2(GammaSampleGradOp, Eigen::numext::gamma_sample_der_alpha)
TROUPE_SPECIAL2(NextAfterOp, std::nextafter)
#undef TROUPE_SPECIAL2

/// Hurwitz' zeta function, also at infinity, where Eigen's has NaN.
struct ZetaOp {
  template <class T>
  TROUPE_DEVICE T operator()(T x, T q) const {
    constexpr T kInf = static_cast<T>(INFINITY);
    if ((q == kInf && x > T(1)) || (x == kInf && q > T(1))) return T(0);
    // The whole sum is 0 where its first term is; Eigen's tail of it would be infinity times 0.
    if (x > T(1) && q > T(1) && q + T(9) < kInf && std::pow(q, -x) == T(0)) return T(0);
    return Eigen::numext::zeta(x, q);
  }
};
struct PolygammaOp {
  template <class T>
  TROUPE_DEVICE T operator()(T n, T x) const {
    constexpr T kInf = static_cast<T>(INFINITY);
    if (x == kInf && n >= T(1) && n < kInf && n == std::floor(n)) return std::fmod(n, T(2)) == T(0) ? T(-0.0) : T(0);
    return Eigen::numext::polygamma(n, x);
  }
};

}  // namespace troupe::launchable

TROUPE_FLOATS(TROUPE_UNARY, erf, ErfOp)
TROUPE_FLOATS(TROUPE_UNARY, erfc, ErfcOp)
#define TROUPE_WIDE_AND_HALF(M, name, Op) TROUPE_WIDE(M, name, Op) M(name, Op, f16, half_t)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, lgamma, LgammaOp)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, digamma, DigammaOp)
TROUPE_WIDE(TROUPE_UNARY, erfinv, ErfinvOp)
TROUPE_WIDE(TROUPE_UNARY, ndtri, NdtriOp)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_i0, BesselI0Op)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_i0e, BesselI0eOp)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_i1, BesselI1Op)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_i1e, BesselI1eOp)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_j0, BesselJ0Op)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_j1, BesselJ1Op)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_k0, BesselK0Op)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_k0e, BesselK0eOp)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_k1, BesselK1Op)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_k1e, BesselK1eOp)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_y0, BesselY0Op)
TROUPE_WIDE_AND_HALF(TROUPE_UNARY, bessel_y1, BesselY1Op)
TROUPE_WIDE(TROUPE_BINARY, igamma, IgammaOp)
TROUPE_WIDE(TROUPE_BINARY, igammac, IgammacOp)
TROUPE_WIDE(TROUPE_BINARY, igamma_grad_a, IgammaGradOp)
TROUPE_WIDE(TROUPE_BINARY, random_gamma_grad, GammaSampleGradOp)
TROUPE_WIDE(TROUPE_BINARY, zeta, ZetaOp)
TROUPE_WIDE(TROUPE_BINARY, polygamma, PolygammaOp)
TROUPE_WIDE(TROUPE_BINARY, next_after, NextAfterOp)

/// Steps are 0 or 1.
#define TROUPE_BETAINC(name, Op, suffix, T)                                                                               \
  TROUPE_KERNEL(name##_##suffix,                                                                                          \
                (const T* a, int64_t step_a, const T* b, int64_t step_b, const T* x, int64_t step_x, T* y, int64_t n)) { \
    TROUPE_FOR_EACH(i, n) { y[i] = Eigen::numext::betainc(a[i * step_a], b[i * step_b], x[i * step_x]); }                \
  }
TROUPE_WIDE(TROUPE_BETAINC, betainc, )
