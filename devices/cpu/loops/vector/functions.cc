// Functions of one float or double, compiled for each instruction set.
#include "devices/cpu/loops/vector/error_functions.h"
#include "devices/cpu/loops/vector/map.h"
#include "devices/cpu/loops/vector/sets.h"
#include "devices/cpu/loops/vector/sigmoids.h"
#include "devices/cpu/loops/vector/trigonometry.h"

namespace troupe::TROUPE_ISA {
namespace {

template <class T, Vec<T> (*f)(Vec<T>)>
void row_of(const T* in, T* out, int64_t n) {
  map(in, out, n, [](Vec<T> x) TROUPE_INLINE_LAMBDA { return f(x); });
}
template <Floats (*f)(Floats)>
constexpr FloatMap row = row_of<float, f>;
template <Doubles (*f)(Doubles)>
constexpr DoubleMap double_row = row_of<double, f>;

TROUPE_INLINE Floats rsqrt(Floats x) { return 1.0f / sqrt(x); }
TROUPE_INLINE Floats softsign(Floats x) { return x / (abs(x) + 1.0f); }
TROUPE_INLINE Floats elu(Floats x) { return x < 0.0f ? expm1(x) : x; }
TROUPE_INLINE Floats selu(Floats x) { return x < 0.0f ? kSeluScaleAlpha * expm1(x) : kSeluScale * x; }
TROUPE_INLINE Floats relu(Floats x) { return x < 0.0f ? splat(0.0f) : x; }
TROUPE_INLINE Floats relu6(Floats x) { return clamp(x, 0.0f, 6.0f); }
TROUPE_INLINE Floats neg(Floats x) { return -x; }
TROUPE_INLINE Floats square(Floats x) { return x * x; }
TROUPE_INLINE Floats reciprocal(Floats x) { return 1.0f / x; }

}  // namespace

FloatFunctions functions() {
  return {
      .exp = row<exp>,
      .expm1 = row<expm1>,
      .log = row<log>,
      .log1p = row<log1p>,
      .sqrt = row<sqrt>,
      .rsqrt = row<rsqrt>,
      .sigmoid = row<sigmoid_of<float>>,
      .tanh = row<tanh_of<float>>,
      .softplus = row<softplus>,
      .softsign = row<softsign>,
      .elu = row<elu>,
      .selu = row<selu>,
      .erf = row<erf>,
      .erfc = row<erfc>,
      .relu = row<relu>,
      .relu6 = row<relu6>,
      .abs = row<abs>,
      .neg = row<neg>,
      .square = row<square>,
      .reciprocal = row<reciprocal>,
      .floor = row<floor>,
      .ceil = row<ceil>,
      .round = row<round>,
      .sin = row<sin>,
      .cos = row<cos>,
  };
}

DoubleFunctions double_functions() {
  return {
      .exp = double_row<exp>,
      .log = double_row<log>,
      .sigmoid = double_row<sigmoid_of<double>>,
      .tanh = double_row<tanh_of<double>>,
  };
}

}  // namespace troupe::TROUPE_ISA
