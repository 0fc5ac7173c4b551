// What is done to the results of products and convolutions in one go: a normalisation or a bias, a sum, an activation.
#include "devices/cuda/kernels/fused_args.h"
#include "devices/cuda/kernels/source/functions.h"

namespace troupe::launchable {
namespace {

/// By the numbers of FusedSteps::Activation.
template <class C>
TROUPE_DEVICE C activated(C x, int32_t activation, C alpha) {
  switch (activation) {
    case 1: return ReluOp()(x);
    case 2: return Relu6Op()(x);
    case 3: return EluOp()(x);
    case 4: return x > C(0) ? x : x * alpha;
    case 5: return TanhOp()(x);
    case 6: return SigmoidOp()(x);
    case 7: return C(0.5) * x * (C(1) + std::tanh(C(0.7978845608) * (x + C(0.044715) * x * x * x)));
    case 8: return C(0.5) * x * (C(1) + std::erf(x * C(0.70710678118)));
    default: return x;
  }
}

/// In place. Operands that are null are not there; scale stands for all four of a normalisation.
template <class T>
TROUPE_DEVICE_ONLY void fused_steps(T* data, const T* bias, const T* scale, const T* offset, const T* mean,
                                    const T* variance, const T* summand, const FusedArgs& a) {
  using C = compute_t<T>;
  TROUPE_FOR_EACH(i, a.count) {
    const int64_t channel = i / a.channel_stride % a.channels;
    C x = static_cast<C>(data[i]);
    if (scale != nullptr) {
      const C factor = static_cast<C>(scale[channel]) /
                       std::sqrt(static_cast<C>(variance[channel]) + static_cast<C>(a.epsilon));
      x = (x - static_cast<C>(mean[channel])) * factor + static_cast<C>(offset[channel]);
    }
    if (bias != nullptr) x += static_cast<C>(bias[channel]);
    if (summand != nullptr) x += static_cast<C>(summand[i]);
    data[i] = static_cast<T>(activated(x, a.activation, static_cast<C>(a.alpha)));
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_INSTANTIATE(suffix, T)                                                                        \
  TROUPE_KERNEL(fused_steps_##suffix,                                                                        \
                (T * data, const T* bias, const T* scale, const T* offset, const T* mean, const T* variance, \
                 const T* summand, troupe::FusedArgs args)) {                                                \
    fused_steps<T>(data, bias, scale, offset, mean, variance, summand, args);                                \
  }
TROUPE_INSTANTIATE(f32, float)
TROUPE_INSTANTIATE(f64, double)
TROUPE_INSTANTIATE(f16, half_t)
TROUPE_INSTANTIATE(bf16, bfloat16_t)
#undef TROUPE_INSTANTIATE
