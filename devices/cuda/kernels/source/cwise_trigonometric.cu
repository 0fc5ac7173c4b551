// Circular and hyperbolic functions and their inverses; inverses of real numbers only, as in TensorFlow.
#include "devices/cuda/kernels/source/functions.h"

namespace troupe::launchable {

#define TROUPE_REAL_FUNCTION(Name, function) \
  struct Name {                              \
    template <class T>                       \
    TROUPE_DEVICE T operator()(T a) const {  \
      return std::function(a);               \
    }                                        \
  };
TROUPE_REAL_FUNCTION(AsinOp, asin)
TROUPE_REAL_FUNCTION(AcosOp, acos)
TROUPE_REAL_FUNCTION(AtanOp, atan)
TROUPE_REAL_FUNCTION(AsinhOp, asinh)
TROUPE_REAL_FUNCTION(AcoshOp, acosh)
TROUPE_REAL_FUNCTION(AtanhOp, atanh)
#undef TROUPE_REAL_FUNCTION

struct Atan2Op {
  template <class T>
  TROUPE_DEVICE T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};

}  // namespace troupe::launchable

TROUPE_FLOATS(TROUPE_UNARY, sin, SinOp)
TROUPE_COMPLEXES(TROUPE_UNARY, sin, SinOp)
TROUPE_FLOATS(TROUPE_UNARY, cos, CosOp)
TROUPE_COMPLEXES(TROUPE_UNARY, cos, CosOp)
TROUPE_FLOATS(TROUPE_UNARY, tan, TanOp)
TROUPE_COMPLEXES(TROUPE_UNARY, tan, TanOp)
TROUPE_FLOATS(TROUPE_UNARY, sinh, SinhOp)
TROUPE_COMPLEXES(TROUPE_UNARY, sinh, SinhOp)
TROUPE_FLOATS(TROUPE_UNARY, cosh, CoshOp)
TROUPE_COMPLEXES(TROUPE_UNARY, cosh, CoshOp)
TROUPE_FLOATS(TROUPE_UNARY, asin, AsinOp)
TROUPE_FLOATS(TROUPE_UNARY, acos, AcosOp)
TROUPE_FLOATS(TROUPE_UNARY, atan, AtanOp)
TROUPE_FLOATS(TROUPE_UNARY, asinh, AsinhOp)
TROUPE_FLOATS(TROUPE_UNARY, acosh, AcoshOp)
TROUPE_FLOATS(TROUPE_UNARY, atanh, AtanhOp)
TROUPE_FLOATS(TROUPE_BINARY, atan2, Atan2Op)
