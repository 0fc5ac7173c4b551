// Functions of one number, rounding, exponentials and logarithms, and what is made of them.
#include "devices/cuda/kernels/source/functions.h"

namespace troupe::launchable {

/// Half to even.
struct RoundOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return std::nearbyint(a);
  }
};
struct IsNanOp {
  template <class T>
  TROUPE_DEVICE bool operator()(T a) const {
    return a != a;
  }
};
struct IsInfOp {
  template <class T>
  TROUPE_DEVICE bool operator()(T a) const {
    return std::fabs(a) == static_cast<T>(INFINITY);
  }
};
struct IsFiniteOp {
  template <class T>
  TROUPE_DEVICE bool operator()(T a) const {
    return std::fabs(a) < static_cast<T>(INFINITY);
  }
};
/// a log(b) and its like: 0 where a is 0, whatever b is.
struct XlogyOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a == T(0) ? T(0) : a * LogOp()(b);
  }
};
struct Xlog1pyOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a == T(0) ? T(0) : a * Log1pOp()(b);
  }
};

}  // namespace troupe::launchable

TROUPE_FLOATS(TROUPE_UNARY, abs, AbsOp)
TROUPE_SIGNED(TROUPE_UNARY, abs, AbsOp)
TROUPE_FLOATS(TROUPE_UNARY, neg, NegOp)
TROUPE_SIGNED(TROUPE_UNARY, neg, NegOp)
TROUPE_COMPLEXES(TROUPE_UNARY, neg, NegOp)
TROUPE_FLOATS(TROUPE_UNARY, sign, SignOp)
TROUPE_SIGNED(TROUPE_UNARY, sign, SignOp)
TROUPE_COMPLEXES(TROUPE_UNARY, sign, SignOp)
TROUPE_FLOATS(TROUPE_UNARY, square, SquareOp)
TROUPE_INTS(TROUPE_UNARY, square, SquareOp)
TROUPE_COMPLEXES(TROUPE_UNARY, square, SquareOp)
TROUPE_FLOATS(TROUPE_UNARY, reciprocal, ReciprocalOp)
TROUPE_COMPLEXES(TROUPE_UNARY, reciprocal, ReciprocalOp)
TROUPE_FLOATS(TROUPE_UNARY, floor, FloorOp)
TROUPE_FLOATS(TROUPE_UNARY, ceil, CeilOp)
TROUPE_FLOATS(TROUPE_UNARY, round, RoundOp)
TROUPE_FLOATS(TROUPE_UNARY_BOOL, is_nan, IsNanOp)
TROUPE_FLOATS(TROUPE_UNARY_BOOL, is_inf, IsInfOp)
TROUPE_FLOATS(TROUPE_UNARY_BOOL, is_finite, IsFiniteOp)

#define TROUPE_NUMBERS(M, name, Op) TROUPE_FLOATS(M, name, Op) TROUPE_COMPLEXES(M, name, Op)
TROUPE_NUMBERS(TROUPE_UNARY, exp, ExpOp)
TROUPE_NUMBERS(TROUPE_UNARY, log, LogOp)
TROUPE_NUMBERS(TROUPE_UNARY, sqrt, SqrtOp)
TROUPE_NUMBERS(TROUPE_UNARY, rsqrt, RsqrtOp)
TROUPE_NUMBERS(TROUPE_UNARY, expm1, Expm1Op)
TROUPE_NUMBERS(TROUPE_UNARY, log1p, Log1pOp)
TROUPE_NUMBERS(TROUPE_UNARY, sigmoid, SigmoidOp)
TROUPE_NUMBERS(TROUPE_UNARY, tanh, TanhOp)
TROUPE_NUMBERS(TROUPE_BINARY, xlogy, XlogyOp)
TROUPE_NUMBERS(TROUPE_BINARY, xlog1py, Xlog1pyOp)
