// Add, Sub, Mul and their like: arithmetic of all number types. Integers wrap.
#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

struct AddOp {
  static constexpr auto kVector = &IntPairs::add;
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) + static_cast<wrap_t<T>>(b));
    } else if constexpr (std::is_same_v<T, TString>) {
      return TString(absl::StrCat(a.view(), b.view()));
    } else {
      return a + b;
    }
  }
};

struct SubOp {
  static constexpr auto kVector = &IntPairs::sub;
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) - static_cast<wrap_t<T>>(b));
    } else {
      return a - b;
    }
  }
};

struct MulOp {
  static constexpr auto kVector = &IntPairs::mul;
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) * static_cast<wrap_t<T>>(b));
    } else if constexpr (is_complex_v<T>) {
      return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    } else {
      return a * b;
    }
  }
};

struct MulNoNanOp {
  static constexpr auto kVector = &FloatPairs::mul_no_nan;
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b == T(0) ? T(0) : a * b;
  }
};

/// (a - b) times its conjugate.
struct SquaredDifferenceOp {
  static constexpr auto kVector = &IntPairs::squared_difference;
  template <class T>
  T operator()(const T& a, const T& b) const {
    T d = SubOp()(a, b);
    if constexpr (is_complex_v<T>) {
      return T(d.real() * d.real() + d.imag() * d.imag(), 0);
    } else {
      return MulOp()(d, d);
    }
  }
};

/// NaN in either operand is the result.
struct MaximumOp {
  static constexpr auto kVector = &IntPairs::maximum;
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a != a ? a : (b != b ? b : (a < b ? b : a));
    } else {
      return a < b ? b : a;
    }
  }
};
struct MinimumOp {
  static constexpr auto kVector = &IntPairs::minimum;
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a != a ? a : (b != b ? b : (b < a ? b : a));
    } else {
      return b < a ? b : a;
    }
  }
};

template <class Op>
void add_all_numbers(KernelRegistry* r, const char* op) {
  add_binary<Op>(r, op, Floats());
  add_binary<Op>(r, op, Complexes());
  add_binary<Op>(r, op, SignedInts());
  add_binary<Op>(r, op, UnsignedInts());
}

}  // namespace

void register_cwise_arithmetic(KernelRegistry* r) {
  add_binary<AddOp>(r, "Add", Floats());
  add_binary<AddOp>(r, "Add", Complexes());
  add_binary<AddOp>(r, "Add", SignedInts());
  add_binary<AddOp>(r, "Add", Types<uint8_t>());
  add_binary<AddOp>(r, "Add", Types<TString>(), 50);
  add_all_numbers<AddOp>(r, "AddV2");
  add_all_numbers<SubOp>(r, "Sub");
  add_all_numbers<MulOp>(r, "Mul");
  add_binary<MulNoNanOp>(r, "MulNoNan", Floats());
  add_binary<MulNoNanOp>(r, "MulNoNan", Complexes());
  add_binary<SquaredDifferenceOp>(r, "SquaredDifference", Floats());
  add_binary<SquaredDifferenceOp>(r, "SquaredDifference", Complexes());
  add_binary<SquaredDifferenceOp>(r, "SquaredDifference", Types<int32_t, int64_t>());
  add_binary<MaximumOp>(r, "Maximum", Floats());
  add_binary<MaximumOp>(r, "Maximum", SignedInts());
  add_binary<MaximumOp>(r, "Maximum", UnsignedInts());
  add_binary<MinimumOp>(r, "Minimum", Floats());
  add_binary<MinimumOp>(r, "Minimum", SignedInts());
  add_binary<MinimumOp>(r, "Minimum", UnsignedInts());
}

}  // namespace troupe
