// Gradient descent with and without momentum, the updates that use the gradient's sign; and how sparse updates find rows that repeat.
#include "devices/cuda/kernels/source/training.h"

namespace troupe::launchable {
namespace {

template <class C>
struct GradientDescent {
  static constexpr int kSlots = 1;
  TROUPE_DEVICE GradientDescent(const C* s, const OptimizerArgs&) : alpha(s[0]) {}
  TROUPE_DEVICE void operator()(C& var, C grad) const { var -= alpha * grad; }
  C alpha;
};

/// Descent, then a pull towards 0: l1 by a fixed amount, l2 in proportion.
template <class C>
struct ProximalGradientDescent {
  static constexpr int kSlots = 1;
  TROUPE_DEVICE ProximalGradientDescent(const C* s, const OptimizerArgs&)
      : alpha(s[0]), step(s[1] > C(0) ? s[0] * s[1] : C(0)), scale(C(1) + s[0] * s[2]) {}
  TROUPE_DEVICE void operator()(C& var, C grad) const { var = shrink(var - alpha * grad, step) / scale; }
  C alpha, step, scale;
};

template <class C>
struct Momentum {
  static constexpr int kSlots = 2;
  TROUPE_DEVICE Momentum(const C* s, const OptimizerArgs& a) : lr(s[0]), momentum(s[1]), nesterov(a.flag != 0) {}
  TROUPE_DEVICE void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum + grad;
    var -= nesterov ? grad * lr + accum * momentum * lr : accum * lr;
  }
  C lr, momentum;
  bool nesterov;
};

/// The accumulator holds the step, learning rate included.
template <class C>
struct KerasMomentum {
  static constexpr int kSlots = 2;
  TROUPE_DEVICE KerasMomentum(const C* s, const OptimizerArgs& a)
      : lr(s[0]), momentum(s[1]), nesterov(a.flag != 0) {}
  TROUPE_DEVICE void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum - grad * lr;
    var += nesterov ? accum * momentum - grad * lr : accum;
  }
  C lr, momentum;
  bool nesterov;
};

template <class C>
struct AddSign {
  static constexpr int kSlots = 2;
  TROUPE_DEVICE AddSign(const C* s, const OptimizerArgs&)
      : lr(s[0]), alpha(s[1]), sign_decay(s[2]), beta(s[3]) {}
  TROUPE_DEVICE void operator()(C& var, C& m, C grad) const {
    m = m * beta + grad * (C(1) - beta);
    var -= lr * (alpha + sign_decay * (sign_of(grad) * sign_of(m))) * grad;
  }
  C lr, alpha, sign_decay, beta;
};

template <class C>
struct PowerSign {
  static constexpr int kSlots = 2;
  TROUPE_DEVICE PowerSign(const C* s, const OptimizerArgs&)
      : lr(s[0]), logbase(s[1]), sign_decay(s[2]), beta(s[3]) {}
  TROUPE_DEVICE void operator()(C& var, C& m, C grad) const {
    m = m * beta + grad * (C(1) - beta);
    var -= lr * std::exp(logbase * sign_decay * (sign_of(grad) * sign_of(m))) * grad;
  }
  C lr, logbase, sign_decay, beta;
};

}  // namespace
}  // namespace troupe::launchable

TROUPE_ANY_OPTIMIZER(GradientDescent, GradientDescent)
TROUPE_REAL_OPTIMIZER(ProximalGradientDescent, ProximalGradientDescent)
TROUPE_ANY_OPTIMIZER(Momentum, Momentum)
TROUPE_ANY_OPTIMIZER(KerasMomentum, KerasMomentum)
TROUPE_REAL_OPTIMIZER(AddSign, AddSign)
TROUPE_REAL_OPTIMIZER(PowerSign, PowerSign)

/// Fills OptimizerArgs::first and count, which are zero before.
TROUPE_KERNEL(claim_rows, (const void* rows, int32_t wide, int64_t n, int64_t limit, int32_t* first, int32_t* count)) {
  TROUPE_FOR_EACH(i, n) {
    const int64_t row = index_at(rows, wide, i);
    if (row < 0 || row >= limit) continue;
    atomic_max(&first[row], static_cast<int32_t>(n - i));
    atomic_add(&count[row], int32_t{1});
  }
}
