// Integrals without a closed form, in double precision: power series near zero, asymptotic series or continued fractions
// elsewhere (Abramowitz and Stegun, chapters 5, 7 and 27).

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "devices/cpu/kernels/cwise/rows.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// No series or fraction below needs as many terms; bounds the loops.
constexpr int kMostTerms = 500;

/// exp(-x^2) times the integral of exp(t^2) from 0 to x.
double dawson(double x) {
  if (std::isnan(x)) return x;
  const double square = x * x;
  if (std::abs(x) < 6) {
    // exp(-x^2) * sum of x^(2k+1) / (k! (2k+1)): no term has another sign.
    double power = x, sum = x;
    for (int k = 1; k < kMostTerms && std::abs(power) > kEpsilon * std::abs(sum); ++k) {
      power *= square / k;
      sum += power / (2 * k + 1);
    }
    return std::exp(-square) * sum;
  }
  // 1/(2x) * sum of (2k-1)!! / (2x^2)^k.
  double term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) {
    const double next = term * (2 * k - 1) / (2 * square);
    if (next > term || next < kEpsilon * sum) break;
    sum += term = next;
  }
  return sum / (2 * x);
}

/// The integral of exp(t)/t from minus infinity to x; for x >= 0 only.
double exponential_integral(double x) {
  if (!(x >= 0) || std::isinf(x)) return kNan;
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x < 40) {
    double power = 1, sum = 0;
    for (int k = 1; k < kMostTerms; ++k) {
      power *= x / k;
      sum += power / k;
      if (power / k < kEpsilon * sum) break;
    }
    return std::numbers::egamma + std::log(x) + sum;
  }
  double term = 1, sum = 1;
  for (int k = 1; k < kMostTerms; ++k) {
    const double next = term * k / x;
    if (next > term || next < kEpsilon * sum) break;
    sum += term = next;
  }
  return std::exp(x) / x * sum;
}

/// C(x) + i S(x), the integral of exp(i pi t^2 / 2) from 0 to x, for x >= 0.
std::complex<double> fresnel_positive(double x) {
  using Complex = std::complex<double>;
  if (std::isinf(x)) return {0.5, 0.5};
  const double angle = std::numbers::pi / 2 * x * x;
  if (x < 1.6) {
    Complex power = x, sum = x;
    for (int k = 1; k < kMostTerms && std::abs(power) > kEpsilon * std::abs(sum); ++k) {
      power *= Complex(0, angle / k);
      sum += power / static_cast<double>(2 * k + 1);
    }
    return sum;
  }
  // Far out the angle has no digits left, and the wave no height.
  if (x > 1e8) return {0.5, 0.5};
  // (1 + i)/2 * erf(z), z = sqrt(pi)/2 (1 - i) x; erfc by its continued fraction, evaluated from the front (Lentz).
  Complex b(1, -std::numbers::pi * x * x);
  Complex c = 1 / std::numeric_limits<double>::min(), d = 1.0 / b, h = d;
  for (int k = 1; k < kMostTerms; ++k) {
    const double a = -static_cast<double>(2 * k - 1) * (2 * k);
    b += 4.0;
    d = 1.0 / (a * d + b);
    c = b + a / c;
    const Complex change = c * d;
    h *= change;
    if (std::abs(change.real() - 1) + std::abs(change.imag()) < kEpsilon) break;
  }
  h *= Complex(x, -x);
  return Complex(0.5, 0.5) * (1.0 - Complex(std::cos(angle), std::sin(angle)) * h);
}
std::complex<double> fresnel(double x) {
  if (std::isnan(x)) return {x, x};
  const std::complex<double> value = fresnel_positive(std::abs(x));
  return x < 0 ? -value : value;
}

/// The dilogarithm of z by its power series; |z| <= 1/2.
double dilogarithm_series(double z) {
  double power = z, sum = z;
  for (int k = 2; k < kMostTerms && std::abs(power) > kEpsilon * std::abs(sum); ++k) {
    power *= z;
    sum += power / (static_cast<double>(k) * k);
  }
  return sum;
}

/// Minus the integral of log(t)/(t-1) from 1 to x: the dilogarithm of 1 - x.
double spence(double x) {
  constexpr double kZeta2 = std::numbers::pi * std::numbers::pi / 6;
  if (!(x >= 0) || std::isinf(x)) return kNan;
  if (x == 0) return kZeta2;
  if (x < 0.5) return kZeta2 - std::log(x) * std::log1p(-x) - dilogarithm_series(x);
  if (x <= 1.5) return dilogarithm_series(1 - x);
  // The reflection at 1: Li2(1 - x) = -Li2(1 - 1/x) - log(x)^2 / 2.
  const double l = std::log(x);
  if (x <= 2) return -dilogarithm_series(1 - 1 / x) - l * l / 2;
  return -(kZeta2 - std::log(1 / x) * std::log1p(-1 / x) - dilogarithm_series(1 / x)) - l * l / 2;
}

#define TROUPE_INTEGRAL(Name, expression)      \
  struct Name {                                \
    template <class T>                         \
    T operator()(T a) const {                  \
      const double x = static_cast<double>(a); \
      return static_cast<T>(expression);       \
    }                                          \
  };
TROUPE_INTEGRAL(DawsonOp, dawson(x))
TROUPE_INTEGRAL(ExpintOp, exponential_integral(x))
TROUPE_INTEGRAL(FresnelCosOp, fresnel(x).real())
TROUPE_INTEGRAL(FresnelSinOp, fresnel(x).imag())
TROUPE_INTEGRAL(SpenceOp, spence(x))
#undef TROUPE_INTEGRAL

}  // namespace

void register_cwise_integrals(KernelRegistry* r) {
  add_unary<DawsonOp>(r, "Dawsn", Types<float, double>(), 60);
  add_unary<ExpintOp>(r, "Expint", Types<float, double>(), 60);
  add_unary<FresnelCosOp>(r, "FresnelCos", Types<float, double>(), 60);
  add_unary<FresnelSinOp>(r, "FresnelSin", Types<float, double>(), 60);
  add_unary<SpenceOp>(r, "Spence", Types<float, double>(), 60);
}

}  // namespace troupe
