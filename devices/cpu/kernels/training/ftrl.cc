// "Follow the regularized leader" (McMahan et al., "Ad Click Prediction: a View from the Trenches", 2013).
#include "devices/cpu/kernels/training/rules.h"

namespace troupe {
namespace {

/// Scalars: lr, l1, l2, lr_power; with kShrinkage lr, l1, l2, l2_shrinkage, lr_power. With the flag, linear
/// is kept times the learning rate.
template <class C, bool kShrinkage>
struct FtrlRule {
  static constexpr int kSlots = 3;
  FtrlRule(const C* s, const OptimizerCall& call)
      : lr(s[0]), l1(call.flag ? s[1] * s[0] : s[1]), twice_l2(call.flag ? C(2) * s[2] * s[0] : C(2) * s[2]),
        twice_shrinkage(kShrinkage ? C(2) * s[3] : C(0)), power(-s[kShrinkage ? 4 : 3]),
        is_root(power == C(0.5)), scales_linear(call.flag), is_dense(call.rows == nullptr),
        is_single(!is_dense && call.row_elements == 1) {}
  C raised(C x) const {
    return is_root && !is_single
               ? root(x)
               : C(std::pow(static_cast<compute_t<C>>(x), static_cast<compute_t<C>>(power)));
  }
  void operator()(C& var, C& accum, C& linear, C grad) const {
    const C pulled = kShrinkage ? grad + twice_shrinkage * var : grad;
    const C sum = accum + grad * grad;
    const C now = raised(sum);
    const C growth = now - raised(accum);
    const C step = scales_linear ? pulled * lr : pulled;
    const C pull = scales_linear ? growth * var : growth / lr * var;
    if (is_single) {
      linear = linear + step - pull;
    } else {
      linear += step - pull;
    }
    const C clipped = linear > l1 ? l1 : linear < -l1 ? -l1 : linear;
    const C size = is_single && is_root ? root(sum) : now;
    const C scale = scales_linear ? size + twice_l2 : size / lr + twice_l2;
    // Dense updates give 0 inside the threshold even where the scale is 0.
    var = is_dense && clipped == linear ? C(0) : (clipped - linear) / scale;
    accum = sum;
  }
  C lr, l1, twice_l2, twice_shrinkage, power;
  bool is_root, scales_linear, is_dense;
  /// Rows of one element are rounded in another order.
  bool is_single;
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

void register_training_ftrl(KernelRegistry* registry) {
  const OptimizerRow rows[] = {
      {"Ftrl", OptimizerRow::kAll, float_loop<FtrlV1>, float_loop<FtrlV1>, "multiply_linear_by_lr",
       OptimizerSigns::kFtrl},
      {"FtrlV2", OptimizerRow::kAll, float_loop<FtrlV2>, float_loop<FtrlV2>, "multiply_linear_by_lr",
       OptimizerSigns::kFtrl},
  };
  for (const OptimizerRow& row : rows) add_optimizer(registry, row);
}

}  // namespace troupe
