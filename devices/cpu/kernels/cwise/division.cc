// Division, remainders and powers: the operations that integers cannot always do.
#include <cmath>
#include <limits>
#include <type_traits>

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

constexpr char kDivisionByZero[] = "Integer division by zero";
// TensorFlow words it so for the truncating operations.
constexpr char kUnexpected[] =
    "Unexpected error in binary operator (only integer div and mod should have errors)";
constexpr char kNegativePower[] = "Integers to negative integer powers are not allowed";

/// a / b of numbers that have a quotient for every b.
struct DivideOp {
  static constexpr auto kVector = &FloatPairs::div;
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a / b;
  }
};

struct DivNoNanOp {
  static constexpr auto kVector = &FloatPairs::div_no_nan;
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b == T(0) ? T(0) : a / b;
  }
};
struct XdivyOp {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a == T(0) ? T(0) : a / b;
  }
};

/// Integer quotient towards zero; lowest / -1 wraps.
template <class T>
T truncated_quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(wrap_t<T>(0) - static_cast<wrap_t<T>>(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
T truncated_remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <class T>
bool signs_differ(T a, T b) {
  return (a < 0) != (b < 0);
}

/// Integers whose quotient is right when doubles are divided, which there is vector code for.
template <class T>
constexpr bool kByDoubles = std::is_signed_v<T> && sizeof(T) <= 4;

/// Exact but for the fraction, which is never rounded to the next integer; lowest / -1 wraps.
template <class T>
double quotient_of_doubles(T a, T b) {
  const double q = static_cast<double>(a) / static_cast<double>(b);
  return q > static_cast<double>(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::lowest() : q;
}

struct TruncatedQuotient {
  template <class T>
  static T of(T a, T b) {
    if constexpr (kByDoubles<T>) return static_cast<T>(quotient_of_doubles(a, b));
    return truncated_quotient(a, b);
  }
};
struct FlooredQuotient {
  template <class T>
  static T of(T a, T b) {
    if constexpr (kByDoubles<T>) {
      const double q = quotient_of_doubles(a, b);
      const T cut = static_cast<T>(q);
      return static_cast<T>(cut - static_cast<T>(static_cast<double>(cut) > q));
    }
    T q = truncated_quotient(a, b);
    T r = truncated_remainder(a, b);
    if (r != 0 && signs_differ(r, b)) --q;
    return q;
  }
};
struct TruncatedRemainder {
  template <class T>
  static T of(T a, T b) {
    return truncated_remainder(a, b);
  }
};
struct FlooredRemainder {
  template <class T>
  static T of(T a, T b) {
    T r = truncated_remainder(a, b);
    if (r != 0 && signs_differ(r, b)) r = static_cast<T>(r + b);
    return r;
  }
};
/// Says where it was asked to divide by zero.
template <class Op>
struct CheckedInts {
  static constexpr bool kChecked = true;
  template <class T>
  T operator()(T a, T b, bool& bad) const {
    // Without a branch: vector code.
    const bool zero = b == 0;
    bad |= zero;
    const T quotient = Op::of(a, zero ? T(1) : b);
    return zero ? T(0) : quotient;
  }
};
using TruncateDivInts = CheckedInts<TruncatedQuotient>;
using FloorDivInts = CheckedInts<FlooredQuotient>;
using TruncateModInts = CheckedInts<TruncatedRemainder>;
using FloorModInts = CheckedInts<FlooredRemainder>;

struct FloorDivFloats {
  template <class T>
  T operator()(T a, T b) const {
    return std::floor(a / b);
  }
};
struct TruncateDivFloats {
  template <class T>
  T operator()(T a, T b) const {
    T q = a / b;
    return q < 0 ? std::ceil(q) : std::floor(q);
  }
};
struct TruncateModFloats {
  template <class T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
};
struct FloorModFloats {
  template <class T>
  T operator()(T a, T b) const {
    T r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
};

/// By squaring; wraps.
struct PowInts {
  static constexpr bool kChecked = true;
  template <class T>
  T operator()(T a, T b, bool& bad) const {
    if (b < 0) {
      bad = true;
      return 0;
    }
    wrap_t<T> base = static_cast<wrap_t<T>>(a);
    wrap_t<T> result = 1;
    for (; b != 0; b = static_cast<T>(b >> 1)) {
      if (b & 1) result *= base;
      base *= base;
    }
    return static_cast<T>(result);
  }
};
struct PowOp {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return std::pow(a, b);
  }
};

template <class Op>
void add_ints(KernelRegistry* r, const char* op, const char* error = kDivisionByZero) {
  add_binary<Op>(r, op, SignedInts(), 4, error);
  add_binary<Op>(r, op, UnsignedInts(), 4, error);
}

}  // namespace

void register_cwise_division(KernelRegistry* r) {
  for (const char* op : {"Div", "RealDiv"}) {
    add_binary<DivideOp>(r, op, Floats());
    add_binary<DivideOp>(r, op, Complexes(), 4);
  }
  add_ints<TruncateDivInts>(r, "Div");
  add_ints<TruncateDivInts>(r, "TruncateDiv", kUnexpected);
  add_binary<TruncateDivFloats>(r, "TruncateDiv", Floats(), 2);
  add_ints<FloorDivInts>(r, "FloorDiv");
  add_binary<FloorDivFloats>(r, "FloorDiv", Floats(), 2);
  add_ints<FloorModInts>(r, "FloorMod");
  add_binary<FloorModFloats>(r, "FloorMod", Floats(), 10);
  for (const char* op : {"Mod", "TruncateMod"}) {
    const char* error = op[0] == 'M' ? kDivisionByZero : kUnexpected;
    add_binary<TruncateModInts>(r, op, Types<int32_t, int64_t>(), 4, error);
    add_binary<TruncateModFloats>(r, op, Types<float, double>(), 10);
  }
  add_binary<DivNoNanOp>(r, "DivNoNan", Floats());
  add_binary<DivNoNanOp>(r, "DivNoNan", Complexes(), 4);
  add_binary<XdivyOp>(r, "Xdivy", Floats());
  add_binary<XdivyOp>(r, "Xdivy", Complexes(), 4);
  add_binary<PowOp>(r, "Pow", Floats(), 20);
  add_binary<PowOp>(r, "Pow", Complexes(), 60);
  add_binary<PowInts>(r, "Pow", SignedInts(), 8, kNegativePower);
}

}  // namespace troupe
