#pragma once

#include "devices/cuda/kernels/optimizer_args.h"
#include "devices/cuda/kernels/source/indices.h"

// How a rule is applied to elements. A Rule<C> computes in C, compute_t of the element type; slots are rounded when they are stored:
//   static constexpr int kSlots;
//   Rule(const C* scalars, const OptimizerArgs& args);
//   void operator()(C& var, C& slot1, ..., C grad) const;

namespace troupe::launchable {

template <class C>
TROUPE_DEVICE C root(C x) {
  if constexpr (is_complex_v<C>) {
    // The root with a positive real part.
    using R = decltype(x.re);
    const R length = abs(x);
    if (length == 0) return C(0, 0);
    const R half = std::sqrt((length + std::fabs(x.re)) / 2);
    const R other = std::fabs(x.im) / (2 * half);
    return C(x.re >= 0 ? half : other, std::copysign(x.re >= 0 ? other : half, x.im));
  } else {
    return std::sqrt(x);
  }
}

/// 1, 0 or -1; NaN stays NaN.
template <class C>
TROUPE_DEVICE C sign_of(C x) {
  return x > C(0) ? C(1) : x < C(0) ? C(-1) : x;
}

/// `x` moved towards 0 by `step`, which is not negative, and no further than 0.
template <class C>
TROUPE_DEVICE C shrink(C x, C step) {
  const C left = (x < C(0) ? -x : x) - step;
  return left > C(0) ? (x < C(0) ? -left : left) : left <= C(0) ? C(0) : left;
}

/// One element: number `at` of the slots by number `grad_at` of the gradient.
template <class T, class R>
TROUPE_DEVICE void apply_rule(const R& rule, const OptimizerArgs& args, int64_t at, int64_t grad_at) {
  using C = compute_t<T>;
  const C grad = static_cast<C>(static_cast<const T*>(args.grad)[grad_at]);
  T* slots[OptimizerArgs::kMaxSlots] = {};
  C x[OptimizerArgs::kMaxSlots];
  for (int k = 0; k < R::kSlots; ++k) {
    slots[k] = static_cast<T*>(args.slots[k]) + at;
    x[k] = static_cast<C>(*slots[k]);
  }
  if constexpr (R::kSlots == 1) rule(x[0], grad);
  if constexpr (R::kSlots == 2) rule(x[0], x[1], grad);
  if constexpr (R::kSlots == 3) rule(x[0], x[1], x[2], grad);
  if constexpr (R::kSlots == 4) rule(x[0], x[1], x[2], x[3], grad);
  for (int k = R::kSlots - 1; k >= 0; --k) *slots[k] = static_cast<T>(x[k]);
}

template <template <class> class Rule, class T>
TROUPE_DEVICE_ONLY void optimize(const OptimizerArgs& args) {
  using C = compute_t<T>;
  C scalars[OptimizerArgs::kMaxScalars] = {};
  for (int k = 0; k < OptimizerArgs::kMaxScalars && args.scalars[k] != nullptr; ++k)
    scalars[k] = static_cast<C>(*static_cast<const T*>(args.scalars[k]));
  const Rule<C> rule(scalars, args);
  if (args.rows == nullptr) {
    TROUPE_FOR_EACH(i, args.elements) { apply_rule<T>(rule, args, i, i); }
    return;
  }
  // Rows may repeat: who has the first of an index does all of them, in their order.
  TROUPE_FOR_EACH(e, args.num_rows * args.row_elements) {
    const int64_t first = e / args.row_elements;
    const int64_t k = e % args.row_elements;
    const int64_t row = index_at(args.rows, args.has_wide_rows, first);
    if (row < 0 || row >= args.limit || args.first[row] != args.num_rows - first) continue;
    int32_t left = args.count[row];
    for (int64_t i = first; left > 0; ++i) {
      if (index_at(args.rows, args.has_wide_rows, i) != row) continue;
      apply_rule<T>(rule, args, row * args.row_elements + k, i * args.row_elements + k);
      --left;
    }
  }
}

}  // namespace troupe::launchable

/// The kernels optimize_`name`_`suffix` of a rule.
#define TROUPE_OPTIMIZER(name, Rule, suffix, T) \
  TROUPE_KERNEL(optimize_##name##_##suffix, (OptimizerArgs args)) { optimize<Rule, T>(args); }
#define TROUPE_REAL_OPTIMIZER(name, Rule)           \
  TROUPE_OPTIMIZER(name, Rule, f32, float)          \
  TROUPE_OPTIMIZER(name, Rule, f64, double)         \
  TROUPE_OPTIMIZER(name, Rule, f16, half_t)         \
  TROUPE_OPTIMIZER(name, Rule, bf16, bfloat16_t)
#define TROUPE_ANY_OPTIMIZER(name, Rule)            \
  TROUPE_REAL_OPTIMIZER(name, Rule)                 \
  TROUPE_OPTIMIZER(name, Rule, c64, complex64_t)    \
  TROUPE_OPTIMIZER(name, Rule, c128, complex128_t)

using troupe::OptimizerArgs;  // NOLINT
