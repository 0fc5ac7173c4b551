// Functions of two elements of one type, compiled for each instruction set.
#include "devices/cpu/loops/vector/float_math.h"
#include "devices/cpu/loops/vector/map.h"
#include "devices/cpu/loops/vector/sets.h"
#include "devices/cpu/loops/vector/trigonometry.h"

namespace troupe::TROUPE_ISA {
namespace {

struct Add {
  template <class V>
  TROUPE_INLINE V operator()(V a, V b) const {
    return a + b;
  }
};
struct Sub {
  template <class V>
  TROUPE_INLINE V operator()(V a, V b) const {
    return a - b;
  }
};
struct Mul {
  template <class V>
  TROUPE_INLINE V operator()(V a, V b) const {
    return a * b;
  }
};
struct SquaredDifference {
  template <class V>
  TROUPE_INLINE V operator()(V a, V b) const {
    return (a - b) * (a - b);
  }
};
/// NaN in either operand is the result; of zeros the first.
struct Maximum {
  template <class V>
  TROUPE_INLINE V operator()(V a, V b) const {
    const V larger = a < b ? b : a;
    return b != b && a == a ? b : larger;
  }
};
struct Minimum {
  template <class V>
  TROUPE_INLINE V operator()(V a, V b) const {
    const V smaller = b < a ? b : a;
    return b != b && a == a ? b : smaller;
  }
};

#define TROUPE_FLOATS2(Name, a, b, result)                                       \
  struct Name {                                                                  \
    TROUPE_INLINE Floats operator()(Floats a, Floats b) const { return result; } \
  };
TROUPE_FLOATS2(Div, a, b, (a / b))
TROUPE_FLOATS2(MulNoNan, a, b, (b == 0.0f ? splat(0.0f) : a * b))
TROUPE_FLOATS2(DivNoNan, a, b, (b == 0.0f ? splat(0.0f) : a / b))
TROUPE_FLOATS2(Atan2, a, b, (atan2(a, b)))
TROUPE_FLOATS2(SigmoidGrad, y, dy, (y * (1.0f - y) * dy))
TROUPE_FLOATS2(TanhGrad, y, dy, (dy * (1.0f - y * y)))
TROUPE_FLOATS2(SqrtGrad, y, dy, (dy == 0.0f ? splat(0.0f) : 0.5f * dy / y))
TROUPE_FLOATS2(RsqrtGrad, y, dy, (dy == 0.0f ? splat(0.0f) : -0.5f * dy * (y * y * y)))
// By a product with 1 or 0: a gradient that is no number, or infinite, is no number behind a zero either.
TROUPE_FLOATS2(ReluGrad, g, x, (g * (x > 0.0f ? splat(1.0f) : splat(0.0f))))
TROUPE_FLOATS2(Relu6Grad, g, x, (g * (x > 0.0f && x < 6.0f ? splat(1.0f) : splat(0.0f))))
TROUPE_FLOATS2(EluGrad, g, y, (y < 0.0f ? (y + 1.0f) * g : g))
TROUPE_FLOATS2(SeluGrad, g, y, (y < 0.0f ? g * (y + kSeluScaleAlpha) : g * kSeluScale))
TROUPE_FLOATS2(SoftplusGrad, g, x, (g / (exp(-x) + 1.0f)))
TROUPE_FLOATS2(SoftsignGrad, g, x, (g / ((1.0f + abs(x)) * (1.0f + abs(x)))))
#undef TROUPE_FLOATS2

/// The operations that floats and integers have. T is signed where it is compared, U wraps.
template <class T, class U>
IntPairs arithmetic() {
  return {
      .add = pair_row<U, Add>,
      .sub = pair_row<U, Sub>,
      .mul = pair_row<U, Mul>,
      .maximum = pair_row<T, Maximum>,
      .minimum = pair_row<T, Minimum>,
      .squared_difference = pair_row<U, SquaredDifference>,
  };
}

}  // namespace

FloatPairs float_pairs() {
  return {
      arithmetic<float, float>(), pair_row<float, Div>,          pair_row<float, MulNoNan>,
      pair_row<float, DivNoNan>,  pair_row<float, Atan2>,        pair_row<float, SigmoidGrad>,
      pair_row<float, TanhGrad>,  pair_row<float, SqrtGrad>,     pair_row<float, RsqrtGrad>,
      pair_row<float, ReluGrad>,  pair_row<float, Relu6Grad>,    pair_row<float, EluGrad>,
      pair_row<float, SeluGrad>,  pair_row<float, SoftplusGrad>, pair_row<float, SoftsignGrad>,
  };
}
IntPairs int_pairs() { return arithmetic<int32_t, uint32_t>(); }
IntPairs long_pairs() { return arithmetic<int64_t, uint64_t>(); }
IntPairs double_pairs() { return arithmetic<double, double>(); }

}  // namespace troupe::TROUPE_ISA
