// Exponentials, logarithms, roots and sigmoids.
#include <algorithm>
#include <cmath>

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

struct ExpOp {
  static constexpr auto kVector = &FloatFunctions::exp;
  template <class T>
  T operator()(const T& a) const {
    return std::exp(a);
  }
  static void block(const double* in, double* out, int64_t n) {
    vector_loops().double_functions.exp(in, out, n);
  }
};
struct LogOp {
  static constexpr auto kVector = &FloatFunctions::log;
  template <class T>
  T operator()(const T& a) const {
    return std::log(a);
  }
  static void block(const double* in, double* out, int64_t n) {
    vector_loops().double_functions.log(in, out, n);
  }
};
struct SqrtOp {
  static constexpr auto kVector = &FloatFunctions::sqrt;
  template <class T>
  T operator()(const T& a) const {
    return std::sqrt(a);
  }
};
struct RsqrtOp {
  static constexpr auto kVector = &FloatFunctions::rsqrt;
  template <class T>
  T operator()(const T& a) const {
    return T(1) / std::sqrt(a);
  }
};
struct Expm1Op {
  static constexpr auto kVector = &FloatFunctions::expm1;
  template <class T>
  T operator()(const T& a) const {
    if constexpr (is_complex_v<T>) {
      // exp(x + iy) - 1 without cancellation near 0.
      auto e = std::expm1(a.real());
      auto s = std::sin(a.imag() / 2);
      return T(e * std::cos(a.imag()) - 2 * s * s, (e + 1) * std::sin(a.imag()));
    } else {
      return std::expm1(a);
    }
  }
};
struct Log1pOp {
  static constexpr auto kVector = &FloatFunctions::log1p;
  template <class T>
  T operator()(const T& a) const {
    if constexpr (is_complex_v<T>) {
      auto x = a.real();
      auto y = a.imag();
      // Where the squares would overflow, the one does not count.
      if (std::max(std::abs(x), std::abs(y)) > 1e18) return std::log(a);
      return T(std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x));
    } else {
      return std::log1p(a);
    }
  }
};
struct SigmoidOp {
  static constexpr auto kVector = &FloatFunctions::sigmoid;
  template <class T>
  T operator()(const T& a) const {
    return T(1) / (T(1) + std::exp(-a));
  }
  static void block(const double* in, double* out, int64_t n) {
    vector_loops().double_functions.sigmoid(in, out, n);
  }
};
struct TanhOp {
  static constexpr auto kVector = &FloatFunctions::tanh;
  template <class T>
  T operator()(const T& a) const {
    return std::tanh(a);
  }
  static void block(const double* in, double* out, int64_t n) {
    vector_loops().double_functions.tanh(in, out, n);
  }
};

/// a log(b) and its like: 0 where a is 0, whatever b is.
struct XlogyOp {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a == T(0) ? T(0) : a * std::log(b);
  }
};
struct Xlog1pyOp {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a == T(0) ? T(0) : a * Log1pOp()(b);
  }
};

template <class Op>
void add_all(KernelRegistry* r, const char* op, int cost) {
  add_unary<Op>(r, op, Floats(), cost);
  add_unary<Op>(r, op, Complexes(), cost * 4);
}

}  // namespace

void register_cwise_exponential(KernelRegistry* r) {
  add_all<ExpOp>(r, "Exp", 4);
  add_all<LogOp>(r, "Log", 5);
  add_all<SqrtOp>(r, "Sqrt", 3);
  add_all<RsqrtOp>(r, "Rsqrt", 4);
  add_all<Expm1Op>(r, "Expm1", 15);
  add_all<Log1pOp>(r, "Log1p", 15);
  add_all<SigmoidOp>(r, "Sigmoid", 6);
  add_all<TanhOp>(r, "Tanh", 6);
  add_binary<XlogyOp>(r, "Xlogy", Floats(), 10);
  add_binary<XlogyOp>(r, "Xlogy", Complexes(), 40);
  add_binary<Xlog1pyOp>(r, "Xlog1py", Floats(), 15);
  add_binary<Xlog1pyOp>(r, "Xlog1py", Complexes(), 50);
}

}  // namespace troupe
