#pragma once

#include <cmath>
#include <complex>

#include "devices/cpu/kernels/training/optimizer.h"
#include "devices/cpu/loops/elementwise.h"

namespace troupe {

/// Applies a rule to elements. A Rule<C> computes in the element type itself: 16-bit floats are rounded after
/// every operation, as TensorFlow rounds them, so that long trainings end at the same numbers.
///   static constexpr int kSlots;
///   Rule(const C* scalars, const OptimizerCall& call);
///   void operator()(C& var, C& slot1, ..., C grad) const;
/// A rule that vector_loops() has for floats says so by
///   bool row(float* const* slots, const float* grad, int64_t n) const;  false: not for this call
template <template <class> class Rule, class T>
void run_rule(const Rule<T>& rule, const OptimizerCall& call, int64_t at, int64_t grad_at, int64_t n) {
  using C = T;
  constexpr int kSlots = Rule<C>::kSlots;
  const T* g = static_cast<const T*>(call.grad) + grad_at;
  T* var = static_cast<T*>(call.slots[0]) + at;
  T* a = kSlots > 1 ? static_cast<T*>(call.slots[1]) + at : nullptr;
  T* b = kSlots > 2 ? static_cast<T*>(call.slots[2]) + at : nullptr;
  T* c = kSlots > 3 ? static_cast<T*>(call.slots[3]) + at : nullptr;
  if constexpr (std::is_same_v<T, float> && requires { &Rule<float>::row; }) {
    float* const slots[] = {var, a, b, c};
    if (rule.row(slots, g, n)) return;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const C grad = g[i];
    C v = var[i];
    if constexpr (kSlots == 1) {
      rule(v, grad);
    } else {
      C x = a[i];
      if constexpr (kSlots == 2) {
        rule(v, x, grad);
      } else {
        C y = b[i];
        if constexpr (kSlots == 3) {
          rule(v, x, y, grad);
        } else {
          C z = c[i];
          rule(v, x, y, z, grad);
          c[i] = z;
        }
        b[i] = y;
      }
      a[i] = x;
    }
    var[i] = v;
  }
}

template <template <class> class Rule, class T>
void optimizer_loop(const OptimizerCall& call, int64_t begin, int64_t end) {
  T scalars[OptimizerCall::kMaxScalars] = {};
  for (int i = 0; i < call.num_scalars; ++i) scalars[i] = *static_cast<const T*>(call.scalars[i]);
  const Rule<T> rule(scalars, call);
  if (call.rows == nullptr) {
    run_rule<Rule, T>(rule, call, begin, begin, end - begin);
    return;
  }
  for (int64_t r = begin; r < end; ++r) {
    run_rule<Rule, T>(rule, call, call.rows[r] * call.row_elements, r * call.row_elements, call.row_elements);
  }
}

/// Lookup functions for OptimizerRow, by the dtypes that TensorFlow has kernels for.
template <template <class> class Rule>
OptimizerLoop wide_loop(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return optimizer_loop<Rule, float>;
    case DataType::kDouble: return optimizer_loop<Rule, double>;
    default: return nullptr;
  }
}
template <template <class> class Rule>
OptimizerLoop half_loop(DataType dtype) {
  return dtype == DataType::kHalf ? optimizer_loop<Rule, Eigen::half> : wide_loop<Rule>(dtype);
}
template <template <class> class Rule>
OptimizerLoop float_loop(DataType dtype) {
  return dtype == DataType::kBfloat16 ? optimizer_loop<Rule, Eigen::bfloat16> : half_loop<Rule>(dtype);
}
template <template <class> class Rule>
OptimizerLoop complex_half_loop(DataType dtype) {
  switch (dtype) {
    case DataType::kComplex64: return optimizer_loop<Rule, std::complex<float>>;
    case DataType::kComplex128: return optimizer_loop<Rule, std::complex<double>>;
    default: return half_loop<Rule>(dtype);
  }
}
template <template <class> class Rule>
OptimizerLoop complex_loop(DataType dtype) {
  return dtype == DataType::kBfloat16 ? optimizer_loop<Rule, Eigen::bfloat16>
                                      : complex_half_loop<Rule>(dtype);
}

template <class C>
inline C root(C x) {
  if constexpr (is_complex_v<C>) {
    return std::sqrt(x);
  } else {
    return C(std::sqrt(static_cast<compute_t<C>>(x)));
  }
}
/// To be multiplied with, which rounds otherwise than a division by the root. Of 16-bit floats the root
/// itself is rounded too in sparse updates, but not in dense ones.
template <class C>
inline C inverse_root(C x, bool is_sparse) {
  if constexpr (sizeof(C) == 2) {
    if (!is_sparse) return C(1 / std::sqrt(static_cast<float>(x)));
  }
  return C(1) / root(x);
}

/// 1, 0 or -1; NaN stays NaN.
template <class C>
inline C sign_of(C x) {
  return x > C(0) ? C(1) : x < C(0) ? C(-1) : x;
}

/// `x` moved towards 0 by `step`, which is not negative, and no further than 0.
template <class C>
inline C shrink(C x, C step) {
  const C left = (x < C(0) ? -x : x) - step;
  return left > C(0) ? (x < C(0) ? -left : left) : left <= C(0) ? C(0) : left;
}

}  // namespace troupe
