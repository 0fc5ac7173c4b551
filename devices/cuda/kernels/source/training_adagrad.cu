// Optimisers that divide by the sum of all squared gradients; and Ftrl, "follow the regularized leader".
#include "devices/cuda/kernels/source/training.h"

namespace troupe::launchable {
namespace {

template <class C>
struct Adagrad {
  static constexpr int kSlots = 2;
  TROUPE_DEVICE Adagrad(const C* s, const OptimizerArgs& a) : lr(s[0]), update(a.flag != 0) {}
  TROUPE_DEVICE void operator()(C& var, C& accum, C grad) const {
    if (update) accum += grad * grad;
    var -= grad * lr / root(accum);
  }
  C lr;
  bool update;
};

template <class C>
struct AdagradV2 {
  static constexpr int kSlots = 2;
  TROUPE_DEVICE AdagradV2(const C* s, const OptimizerArgs& a) : lr(s[0]), epsilon(s[1]), update(a.flag != 0) {}
  TROUPE_DEVICE void operator()(C& var, C& accum, C grad) const {
    if (update) accum += grad * grad;
    var -= grad * lr / (root(accum) + epsilon);
  }
  C lr, epsilon;
  bool update;
};

template <class C>
struct ProximalAdagrad {
  static constexpr int kSlots = 2;
  TROUPE_DEVICE ProximalAdagrad(const C* s, const OptimizerArgs&)
      : lr(s[0]), l1(s[1] > C(0) ? s[1] : C(0)), l2(s[2]) {}
  TROUPE_DEVICE void operator()(C& var, C& accum, C grad) const {
    accum += grad * grad;
    const C rate = lr / root(accum);
    var = shrink(var - grad * rate, rate * l1) / (C(1) + l2 * rate);
  }
  C lr, l1, l2;
};

/// Dual averaging: var follows from the sums of all gradients and of their squares.
template <class C>
struct AdagradDa {
  static constexpr int kSlots = 3;
  TROUPE_DEVICE AdagradDa(const C* s, const OptimizerArgs& a)
      : lr(s[0]), step(s[1] > C(0) ? s[1] * static_cast<C>(*a.global_step) : C(0)),
        base(s[2] * (static_cast<C>(*a.global_step) * s[0])) {}
  TROUPE_DEVICE void operator()(C& var, C& sum, C& squares, C grad) const {
    sum += grad;
    squares += grad * grad;
    var = -lr * shrink(sum, step) / (base + root(squares));
  }
  C lr, step, base;
};

/// Scalars: lr, l1, l2, lr_power; with kShrinkage lr, l1, l2, l2_shrinkage, lr_power. With the flag, linear is kept times the
/// learning rate.
template <class C, bool kShrinkage>
struct FtrlRule {
  static constexpr int kSlots = 3;
  TROUPE_DEVICE FtrlRule(const C* s, const OptimizerArgs& a)
      : lr(s[0]), l1(a.flag != 0 ? s[1] * s[0] : s[1]), twice_l2(a.flag != 0 ? C(2) * s[2] * s[0] : C(2) * s[2]),
        twice_shrinkage(kShrinkage ? C(2) * s[3] : C(0)), power(-s[kShrinkage ? 4 : 3]),
        scales_linear(a.flag != 0), is_dense(a.rows == nullptr) {}
  TROUPE_DEVICE C raised(C x) const { return power == C(0.5) ? root(x) : std::pow(x, power); }
  TROUPE_DEVICE void operator()(C& var, C& accum, C& linear, C grad) const {
    const C pulled = kShrinkage ? grad + twice_shrinkage * var : grad;
    const C sum = accum + grad * grad;
    const C now = raised(sum);
    const C growth = now - raised(accum);
    linear += scales_linear ? pulled * lr - growth * var : pulled - growth / lr * var;
    const C clipped = linear > l1 ? l1 : linear < -l1 ? -l1 : linear;
    const C scale = scales_linear ? now + twice_l2 : now / lr + twice_l2;
    // Dense updates give 0 inside the threshold even where the scale is 0.
    var = is_dense && clipped == linear ? C(0) : (clipped - linear) / scale;
    accum = sum;
  }
  C lr, l1, twice_l2, twice_shrinkage, power;
  bool scales_linear, is_dense;
};

template <class C>
struct FtrlV1 : FtrlRule<C, false> {
  using FtrlRule<C, false>::FtrlRule;
};
template <class C>
struct FtrlV2 : FtrlRule<C, true> {
  using FtrlRule<C, true>::FtrlRule;
};

}  // namespace
}  // namespace troupe::launchable

TROUPE_ANY_OPTIMIZER(Adagrad, Adagrad)
TROUPE_ANY_OPTIMIZER(AdagradV2, AdagradV2)
TROUPE_REAL_OPTIMIZER(ProximalAdagrad, ProximalAdagrad)
TROUPE_REAL_OPTIMIZER(AdagradDA, AdagradDa)
TROUPE_REAL_OPTIMIZER(Ftrl, FtrlV1)
TROUPE_REAL_OPTIMIZER(FtrlV2, FtrlV2)
