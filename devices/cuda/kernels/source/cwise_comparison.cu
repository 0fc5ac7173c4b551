// Comparisons and logic: results are bools.
#include "devices/cuda/kernels/source/elementwise.h"

namespace troupe::launchable {

#define TROUPE_COMPARISON(Name, op)               \
  struct Name {                                   \
    template <class T>                            \
    TROUPE_DEVICE bool operator()(T a, T b) const { \
      return a op b;                              \
    }                                             \
  };
TROUPE_COMPARISON(LessOp, <)
TROUPE_COMPARISON(LessEqualOp, <=)
TROUPE_COMPARISON(GreaterOp, >)
TROUPE_COMPARISON(GreaterEqualOp, >=)
TROUPE_COMPARISON(EqualOp, ==)
TROUPE_COMPARISON(NotEqualOp, !=)
TROUPE_COMPARISON(AndOp, &)
TROUPE_COMPARISON(OrOp, |)
#undef TROUPE_COMPARISON

struct NotOp {
  TROUPE_DEVICE bool operator()(bool a) const { return !a; }
};

}  // namespace troupe::launchable

TROUPE_FLOATS(TROUPE_BINARY_BOOL, less, LessOp)
TROUPE_INTS(TROUPE_BINARY_BOOL, less, LessOp)
TROUPE_FLOATS(TROUPE_BINARY_BOOL, less_equal, LessEqualOp)
TROUPE_INTS(TROUPE_BINARY_BOOL, less_equal, LessEqualOp)
TROUPE_FLOATS(TROUPE_BINARY_BOOL, greater, GreaterOp)
TROUPE_INTS(TROUPE_BINARY_BOOL, greater, GreaterOp)
TROUPE_FLOATS(TROUPE_BINARY_BOOL, greater_equal, GreaterEqualOp)
TROUPE_INTS(TROUPE_BINARY_BOOL, greater_equal, GreaterEqualOp)
TROUPE_FLOATS(TROUPE_BINARY_BOOL, equal, EqualOp)
TROUPE_COMPLEXES(TROUPE_BINARY_BOOL, equal, EqualOp)
TROUPE_INTS(TROUPE_BINARY_BOOL, equal, EqualOp)
TROUPE_BINARY_BOOL(equal, EqualOp, b, bool)
TROUPE_FLOATS(TROUPE_BINARY_BOOL, not_equal, NotEqualOp)
TROUPE_COMPLEXES(TROUPE_BINARY_BOOL, not_equal, NotEqualOp)
TROUPE_INTS(TROUPE_BINARY_BOOL, not_equal, NotEqualOp)
TROUPE_BINARY_BOOL(not_equal, NotEqualOp, b, bool)
TROUPE_BINARY_BOOL(logical_and, AndOp, b, bool)
TROUPE_BINARY_BOOL(logical_or, OrOp, b, bool)
TROUPE_UNARY(logical_not, NotOp, b, bool)
