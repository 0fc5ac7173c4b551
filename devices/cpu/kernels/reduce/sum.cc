// Sum, Mean, Prod and EuclideanNorm.
#include <cmath>

#include "devices/cpu/kernels/reduce/reduction.h"
#include "devices/cpu/loops/elementwise.h"

namespace troupe {
namespace {

/// What numbers are summed in: 16-bit floats as float; integers in 64 bits, so that means do not overflow and sums
/// wrap when they are cut to size.
template <class T>
struct WideType {
  using type = compute_t<T>;
};
template <class T>
  requires std::is_integral_v<T>
struct WideType<T> {
  using type = uint64_t;
};

template <class T>
struct SumOp {
  using Sum = typename WideType<T>::type;
  static Sum start() { return Sum(0); }
  static void fold(Sum& s, const T& x) { s += static_cast<Sum>(x); }
  static void join(Sum& s, const Sum& x) { s += x; }
  static T finish(const Sum& s, int64_t) { return static_cast<T>(s); }
  static Sum fold_run(const T* x, int64_t n) requires std::is_same_v<T, float> {
    return vector_loops().folds.sum(x, n);
  }
  static void fold_row(Sum* sums, const T* x, int64_t n) requires std::is_same_v<T, float> {
    vector_loops().floats.add(sums, x, sums, n, RowMode::kBoth);
  }
};

/// Integers are cut towards zero.
template <class T>
struct MeanOp : SumOp<T> {
  using Sum = typename SumOp<T>::Sum;
  static T finish(const Sum& s, int64_t count) {
    if constexpr (std::is_integral_v<T>) {
      if (count == 0) return 0;
      if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<int64_t>(s) / count);
      return static_cast<T>(s / static_cast<uint64_t>(count));
    } else if constexpr (is_complex_v<T>) {
      if (count == 0) return T(0);
      return s / static_cast<typename T::value_type>(count);
    } else {
      return static_cast<T>(s / static_cast<Sum>(count));
    }
  }
};

template <class T>
struct ProductOp {
  using Sum = typename WideType<T>::type;
  static Sum start() { return Sum(1); }
  static void fold(Sum& s, const T& x) { join(s, static_cast<Sum>(x)); }
  static void join(Sum& s, const Sum& x) {
    if constexpr (is_complex_v<T>) {
      s = Sum(s.real() * x.real() - s.imag() * x.imag(), s.real() * x.imag() + s.imag() * x.real());
    } else {
      s *= x;
    }
  }
  static T finish(const Sum& s, int64_t) { return static_cast<T>(s); }
};

template <class T>
struct NormOp {
  static constexpr bool kChangesSingles = true;
  using Sum = typename WideType<T>::type;
  static Sum start() { return Sum(0); }
  static void fold(Sum& s, const T& x) {
    if constexpr (is_complex_v<T>) {
      s += Sum(std::norm(x), 0);
    } else {
      s += static_cast<Sum>(x) * static_cast<Sum>(x);
    }
  }
  static void join(Sum& s, const Sum& x) { s += x; }
  static T finish(const Sum& s, int64_t) {
    if constexpr (std::is_integral_v<T>) {
      // The sum of squares wraps in T before the root is taken.
      T cut = static_cast<T>(s);
      if constexpr (std::is_signed_v<T>) {
        if (cut < 0) return 0;
      }
      return static_cast<T>(std::sqrt(static_cast<double>(cut)));
    } else {
      return static_cast<T>(std::sqrt(s));
    }
  }
};

template <template <class> class Op>
void add_numbers(KernelRegistry* r, const char* op) {
  add_reductions<Op, float, double, Eigen::half, Eigen::bfloat16, std::complex<float>, std::complex<double>,
                 int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(r, op);
}

}  // namespace

void register_reduce_sum(KernelRegistry* r) {
  add_numbers<SumOp>(r, "Sum");
  add_numbers<MeanOp>(r, "Mean");
  add_numbers<ProductOp>(r, "Prod");
  add_numbers<NormOp>(r, "EuclideanNorm");
}

}  // namespace troupe
