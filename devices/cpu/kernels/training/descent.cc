// Gradient descent with and without momentum, and the updates that use the gradient's sign.
#include "devices/cpu/kernels/training/rules.h"

namespace troupe {
namespace {

template <class C>
struct GradientDescent {
  static constexpr int kSlots = 1;
  GradientDescent(const C* s, const OptimizerCall&) : alpha(s[0]) {}
  void operator()(C& var, C grad) const { var -= alpha * grad; }
  bool row(float* const* slots, const float* grad, int64_t n) const {
    vector_loops().updates.descent(slots[0], grad, alpha, n);
    return true;
  }
  C alpha;
};

/// Descent, then a pull towards 0: l1 by a fixed amount, l2 in proportion.
template <class C>
struct ProximalGradientDescent {
  static constexpr int kSlots = 1;
  ProximalGradientDescent(const C* s, const OptimizerCall&)
      : alpha(s[0]), step(s[1] > C(0) ? s[0] * s[1] : C(0)), scale(C(1) + s[0] * s[2]) {}
  void operator()(C& var, C grad) const { var = shrink(var - alpha * grad, step) / scale; }
  C alpha, step, scale;
};

template <class C>
struct Momentum {
  static constexpr int kSlots = 2;
  Momentum(const C* s, const OptimizerCall& call) : lr(s[0]), momentum(s[1]), nesterov(call.flag) {}
  void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum + grad;
    var -= nesterov ? grad * lr + accum * momentum * lr : accum * lr;
  }
  bool row(float* const* slots, const float* grad, int64_t n) const {
    vector_loops().updates.momentum(slots[0], slots[1], grad, lr, momentum, nesterov, n);
    return true;
  }
  C lr, momentum;
  bool nesterov;
};

/// The sparse form of the op rounds in another order.
template <class C>
struct SparseMomentum {
  static constexpr int kSlots = 2;
  SparseMomentum(const C* s, const OptimizerCall& call) : lr(s[0]), momentum(s[1]), nesterov(call.flag) {}
  void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum + grad;
    var -= nesterov ? grad * lr + (lr * momentum) * accum : accum * lr;
  }
  C lr, momentum;
  bool nesterov;
};

/// The accumulator holds the step, learning rate included.
template <class C>
struct KerasMomentum {
  static constexpr int kSlots = 2;
  KerasMomentum(const C* s, const OptimizerCall& call) : lr(s[0]), momentum(s[1]), nesterov(call.flag) {}
  void operator()(C& var, C& accum, C grad) const {
    accum = accum * momentum - grad * lr;
    var += nesterov ? accum * momentum - grad * lr : accum;
  }
  C lr, momentum;
  bool nesterov;
};

template <class C>
struct AddSign {
  static constexpr int kSlots = 2;
  AddSign(const C* s, const OptimizerCall&) : lr(s[0]), alpha(s[1]), sign_decay(s[2]), beta(s[3]) {}
  void operator()(C& var, C& m, C grad) const {
    m = m * beta + grad * (C(1) - beta);
    var -= lr * (alpha + sign_decay * (sign_of(grad) * sign_of(m))) * grad;
  }
  C lr, alpha, sign_decay, beta;
};

template <class C>
struct PowerSign {
  static constexpr int kSlots = 2;
  PowerSign(const C* s, const OptimizerCall&) : lr(s[0]), logbase(s[1]), sign_decay(s[2]), beta(s[3]) {}
  void operator()(C& var, C& m, C grad) const {
    m = m * beta + grad * (C(1) - beta);
    var -= lr * C(std::exp(static_cast<compute_t<C>>(logbase * sign_decay * (sign_of(grad) * sign_of(m))))) *
           grad;
  }
  C lr, logbase, sign_decay, beta;
};

}  // namespace

void register_training_descent(KernelRegistry* registry) {
  using R = OptimizerRow;
  const OptimizerRow rows[] = {
      {"GradientDescent", R::kBoth, complex_loop<GradientDescent>, nullptr},
      {"ProximalGradientDescent", R::kAll, wide_loop<ProximalGradientDescent>,
       wide_loop<ProximalGradientDescent>},
      {"Momentum", R::kAll, complex_loop<Momentum>, complex_loop<SparseMomentum>, "use_nesterov"},
      {"KerasMomentum", R::kResourceDense | R::kResourceSparse, complex_loop<KerasMomentum>,
       complex_loop<KerasMomentum>, "use_nesterov"},
      {"AddSign", R::kBoth, float_loop<AddSign>, nullptr},
      {"PowerSign", R::kBoth, float_loop<PowerSign>, nullptr},
  };
  for (const OptimizerRow& row : rows) add_optimizer(registry, row);
}

}  // namespace troupe
