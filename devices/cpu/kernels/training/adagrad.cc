// Optimisers that divide by the sum of all squared gradients.
#include "devices/cpu/kernels/training/rules.h"

namespace troupe {
namespace {

template <class C>
struct Adagrad {
  static constexpr int kSlots = 2;
  Adagrad(const C* s, const OptimizerCall& call)
      : lr(s[0]), update(call.flag), is_sparse(call.rows != nullptr),
        divides(is_sparse && call.row_elements == 1) {}
  void operator()(C& var, C& accum, C grad) const {
    if (update) accum += grad * grad;
    var -= divides ? grad * lr / root(accum) : grad * lr * inverse_root(accum, is_sparse);
  }
  bool row(float* const* slots, const float* grad, int64_t n) const {
    if (divides) return false;
    vector_loops().updates.adagrad(slots[0], slots[1], grad, lr, update, n);
    return true;
  }
  C lr;
  bool update, is_sparse;
  /// Rows of one element are rounded in another way.
  bool divides;
};

template <class C>
struct AdagradV2 {
  static constexpr int kSlots = 2;
  AdagradV2(const C* s, const OptimizerCall& call) : lr(s[0]), epsilon(s[1]), update(call.flag) {}
  void operator()(C& var, C& accum, C grad) const {
    if (update) accum += grad * grad;
    var -= grad * lr / (root(accum) + epsilon);
  }
  C lr, epsilon;
  bool update;
};

template <class C>
struct ProximalAdagrad {
  static constexpr int kSlots = 2;
  ProximalAdagrad(const C* s, const OptimizerCall&) : lr(s[0]), l1(s[1] > C(0) ? s[1] : C(0)), l2(s[2]) {}
  void operator()(C& var, C& accum, C grad) const {
    accum += grad * grad;
    const C rate = lr * inverse_root(accum, false);
    var = shrink(var - grad * rate, rate * l1) / (C(1) + l2 * rate);
  }
  C lr, l1, l2;
};

/// Dual averaging: var follows from the sums of all gradients and of their squares.
template <class C>
struct AdagradDa {
  static constexpr int kSlots = 3;
  AdagradDa(const C* s, const OptimizerCall& call)
      : lr(s[0]), step(s[1] > C(0) ? s[1] * static_cast<C>(call.global_step) : C(0)),
        base(s[2] * (static_cast<C>(call.global_step) * s[0])) {}
  void operator()(C& var, C& sum, C& squares, C grad) const {
    sum += grad;
    squares += grad * grad;
    var = -lr * shrink(sum, step) / (base + root(squares));
  }
  C lr, step, base;
};

}  // namespace

void register_training_adagrad(KernelRegistry* registry) {
  using R = OptimizerRow;
  const OptimizerRow rows[] = {
      {"Adagrad", R::kAll, complex_loop<Adagrad>, complex_loop<Adagrad>, "update_slots"},
      {"AdagradV2", R::kAll, complex_loop<AdagradV2>, complex_loop<AdagradV2>, "update_slots"},
      {"ProximalAdagrad", R::kAll, wide_loop<ProximalAdagrad>, wide_loop<ProximalAdagrad>, nullptr,
       OptimizerSigns::kProximal},
      {"AdagradDA", R::kAll, wide_loop<AdagradDa>, wide_loop<AdagradDa>},
  };
  for (const OptimizerRow& row : rows) add_optimizer(registry, row);
}

}  // namespace troupe
