// Special functions: those of the C library, and Eigen's ports of Cephes.
#include <cmath>
#include <limits>

#include <unsupported/Eigen/SpecialFunctions>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/rows.h"
#include "devices/cpu/loops/broadcast.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

#define TROUPE_FUNCTION(Name, function) \
  struct Name {                         \
    template <class T>                  \
    T operator()(T a) const {           \
      return function(a);               \
    }                                   \
  };
#define TROUPE_VECTOR_FUNCTION(Name, function)                 \
  struct Name {                                                \
    static constexpr auto kVector = &FloatFunctions::function; \
    template <class T>                                         \
    T operator()(T a) const {                                  \
      return std::function(a);                                 \
    }                                                          \
  };
TROUPE_VECTOR_FUNCTION(ErfOp, erf)
TROUPE_VECTOR_FUNCTION(ErfcOp, erfc)
#undef TROUPE_VECTOR_FUNCTION
TROUPE_FUNCTION(DigammaOp, Eigen::numext::digamma)
TROUPE_FUNCTION(BesselI0Op, Eigen::numext::bessel_i0)
TROUPE_FUNCTION(BesselI0eOp, Eigen::numext::bessel_i0e)
TROUPE_FUNCTION(BesselI1Op, Eigen::numext::bessel_i1)
TROUPE_FUNCTION(BesselI1eOp, Eigen::numext::bessel_i1e)
TROUPE_FUNCTION(BesselJ0Op, Eigen::numext::bessel_j0)
TROUPE_FUNCTION(BesselJ1Op, Eigen::numext::bessel_j1)
TROUPE_FUNCTION(BesselK0Op, Eigen::numext::bessel_k0)
TROUPE_FUNCTION(BesselK0eOp, Eigen::numext::bessel_k0e)
TROUPE_FUNCTION(BesselK1Op, Eigen::numext::bessel_k1)
TROUPE_FUNCTION(BesselK1eOp, Eigen::numext::bessel_k1e)
TROUPE_FUNCTION(BesselY0Op, Eigen::numext::bessel_y0)
TROUPE_FUNCTION(BesselY1Op, Eigen::numext::bessel_y1)
#undef TROUPE_FUNCTION

/// The re-entrant form: std::lgamma writes a global.
struct LgammaOp {
  float operator()(float a) const {
    int sign;
    return lgammaf_r(a, &sign);
  }
  double operator()(double a) const {
    int sign;
    return lgamma_r(a, &sign);
  }
};
/// Quantile of the normal distribution; NaN outside [0, 1].
struct NdtriOp {
  template <class T>
  T operator()(T p) const {
    return p >= T(0) && p <= T(1) ? Eigen::numext::ndtri(p) : std::numeric_limits<T>::quiet_NaN();
  }
};
/// erfinv(x) = ndtri((x + 1) / 2) / sqrt(2).
struct ErfinvOp {
  template <class T>
  T operator()(T a) const {
    return NdtriOp()((a + T(1)) / T(2)) * static_cast<T>(0.70710678118654752440);
  }
};

#define TROUPE_FUNCTION2(Name, function) \
  struct Name {                          \
    template <class T>                   \
    T operator()(T a, T b) const {       \
      return function(a, b);             \
    }                                    \
  };
TROUPE_FUNCTION2(IgammaOp, Eigen::numext::igamma)
TROUPE_FUNCTION2(IgammacOp, Eigen::numext::igammac)
TROUPE_FUNCTION2(IgammaGradOp, Eigen::numext::igamma_der_a)
TROUPE_FUNCTION2(GammaSampleGradOp, Eigen::numext::gamma_sample_der_alpha)
#undef TROUPE_FUNCTION2

/// Hurwitz' zeta function, also at infinity, where Eigen's has NaN.
struct ZetaOp {
  template <class T>
  T operator()(T x, T q) const {
    constexpr T kInf = std::numeric_limits<T>::infinity();
    if ((q == kInf && x > T(1)) || (x == kInf && q > T(1))) return T(0);
    // The whole sum is 0 where its first term is; Eigen's tail of it would be infinity times 0.
    if (x > T(1) && q > T(1) && q + T(9) < kInf && std::pow(q, -x) == T(0)) return T(0);
    return Eigen::numext::zeta(x, q);
  }
};
struct PolygammaOp {
  template <class T>
  T operator()(T n, T x) const {
    constexpr T kInf = std::numeric_limits<T>::infinity();
    if (x == kInf && n >= T(1) && n < kInf && n == std::floor(n))
      return std::fmod(n, T(2)) == T(0) ? T(-0.0) : T(0);
    return Eigen::numext::polygamma(n, x);
  }
};

struct NextAfterOp {
  template <class T>
  T operator()(T a, T b) const {
    return std::nextafter(a, b);
  }
};

/// The regularised incomplete beta function of three operands, each of one shape or a scalar.
template <class T>
absl::Status betainc(KernelContext& context) {
  const Tensor* in[3] = {&context.input(0), &context.input(1), &context.input(2)};
  static constexpr const char* kNames[3] = {"a", "b", "x"};
  const Shape* shape = &in[0]->shape();
  int first = 0;
  for (int k = 1; k < 3; ++k) {
    if (in[k]->rank() == 0) continue;
    if (in[first]->rank() == 0) {
      first = k;
      shape = &in[k]->shape();
    } else if (!(in[k]->shape() == *shape)) {
      return absl::InvalidArgumentError(absl::StrCat("Shapes of ", kNames[first], " and ", kNames[k],
                                                     " are inconsistent: ", shape->to_string(), " vs. ",
                                                     in[k]->shape().to_string()));
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, *shape));
  const T* p[3];
  int64_t step[3];
  for (int k = 0; k < 3; ++k) {
    p[k] = in[k]->flat<T>().data();
    step[k] = in[k]->rank() == 0 ? 0 : 1;
  }
  T* o = out->flat<T>().data();
  context.parallel().parallel_for(out->num_elements(), 400, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      o[i] = Eigen::numext::betainc(p[0][i * step[0]], p[1][i * step[1]], p[2][i * step[2]]);
    }
  });
  return absl::OkStatus();
}

using Wide = Types<float, double>;
using WideAndHalf = Types<float, double, Eigen::half>;

}  // namespace

void register_cwise_special(KernelRegistry* r) {
  add_unary<ErfOp>(r, "Erf", Floats(), 15);
  add_unary<ErfcOp>(r, "Erfc", Floats(), 20);
  add_unary<LgammaOp>(r, "Lgamma", WideAndHalf(), 30);
  add_unary<DigammaOp>(r, "Digamma", WideAndHalf(), 30);
  add_unary<ErfinvOp>(r, "Erfinv", Wide(), 30);
  add_unary<NdtriOp>(r, "Ndtri", Wide(), 30);
  add_unary<BesselI0Op>(r, "BesselI0", WideAndHalf(), 30);
  add_unary<BesselI0eOp>(r, "BesselI0e", WideAndHalf(), 30);
  add_unary<BesselI1Op>(r, "BesselI1", WideAndHalf(), 30);
  add_unary<BesselI1eOp>(r, "BesselI1e", WideAndHalf(), 30);
  add_unary<BesselJ0Op>(r, "BesselJ0", WideAndHalf(), 30);
  add_unary<BesselJ1Op>(r, "BesselJ1", WideAndHalf(), 30);
  add_unary<BesselK0Op>(r, "BesselK0", WideAndHalf(), 30);
  add_unary<BesselK0eOp>(r, "BesselK0e", WideAndHalf(), 30);
  add_unary<BesselK1Op>(r, "BesselK1", WideAndHalf(), 30);
  add_unary<BesselK1eOp>(r, "BesselK1e", WideAndHalf(), 30);
  add_unary<BesselY0Op>(r, "BesselY0", WideAndHalf(), 30);
  add_unary<BesselY1Op>(r, "BesselY1", WideAndHalf(), 30);
  add_binary<IgammaOp>(r, "Igamma", Wide(), 200);
  add_binary<IgammacOp>(r, "Igammac", Wide(), 200);
  add_binary<IgammaGradOp>(r, "IgammaGradA", Wide(), 200);
  add_binary<GammaSampleGradOp>(r, "RandomGammaGrad", Wide(), 200);
  add_binary<ZetaOp>(r, "Zeta", Wide(), 100);
  add_binary<PolygammaOp>(r, "Polygamma", Wide(), 100);
  add_binary<NextAfterOp>(r, "NextAfter", Wide(), 4);
  r->add(KernelDef("Betainc").type<float>("T").fn(betainc<float>));
  r->add(KernelDef("Betainc").type<double>("T").fn(betainc<double>));
}

}  // namespace troupe
