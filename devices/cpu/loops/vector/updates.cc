// Steps of optimisers, compiled for each instruction set. Nothing is fused: the formulas round as TensorFlow's do, and alike
// in every set.
#include "devices/cpu/loops/vector/sets.h"
#include "devices/cpu/loops/vector/vec.h"

namespace troupe::TROUPE_ISA {
namespace {

/// rule(slots, grad) for each element, which changes a register of each of `kSlots` slots.
template <int kSlots, class Rule>
TROUPE_INLINE void update(float* const (&slots)[kSlots], const float* grad, int64_t n, Rule rule) {
  constexpr int64_t kStep = kWidth<float>;
  Floats v[kSlots];
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    for (int s = 0; s < kSlots; ++s) v[s] = load(slots[s] + i);
    rule(v, load(grad + i));
    for (int s = kSlots; s-- > 0;) store(slots[s] + i, v[s]);
  }
  if (i == n) return;
  for (int s = 0; s < kSlots; ++s) v[s] = load_part(slots[s] + i, n - i);
  rule(v, load_part(grad + i, n - i));
  for (int s = kSlots; s-- > 0;) store_part(slots[s] + i, v[s], n - i);
}

void descent(float* var, const float* grad, float alpha, int64_t n) {
  update<1>({var}, grad, n, [=](Floats* v, Floats g) TROUPE_INLINE_LAMBDA { v[0] -= alpha * g; });
}

void momentum(float* var, float* accum, const float* grad, float lr, float decay, bool nesterov, int64_t n) {
  update<2>({var, accum}, grad, n, [=](Floats* v, Floats g) TROUPE_INLINE_LAMBDA {
    v[1] = v[1] * decay + g;
    v[0] -= nesterov ? g * lr + v[1] * decay * lr : v[1] * lr;
  });
}

void adagrad(float* var, float* accum, const float* grad, float lr, bool update_slots, int64_t n) {
  update<2>({var, accum}, grad, n, [=](Floats* v, Floats g) TROUPE_INLINE_LAMBDA {
    if (update_slots) v[1] += g * g;
    v[0] -= g * lr * (1.0f / sqrt(v[1]));
  });
}

void adam(float* var, float* m, float* s, const float* grad, float alpha, float beta1, float rest1,
          float rest2, float epsilon, bool nesterov, int64_t n) {
  update<3>({var, m, s}, grad, n, [=](Floats* v, Floats g) TROUPE_INLINE_LAMBDA {
    v[1] += (g - v[1]) * rest1;
    v[2] += (g * g - v[2]) * rest2;
    const Floats step = nesterov ? g * rest1 + beta1 * v[1] : v[1];
    v[0] -= step * alpha / (sqrt(v[2]) + epsilon);
  });
}

void rms_prop(float* var, float* ms, float* mom, const float* grad, float lr, float rest, float decay,
              float epsilon, int64_t n) {
  update<3>({var, ms, mom}, grad, n, [=](Floats* v, Floats g) TROUPE_INLINE_LAMBDA {
    v[1] += (g * g - v[1]) * rest;
    v[2] = v[2] * decay + g * lr / sqrt(v[1] + epsilon);
    v[0] -= v[2];
  });
}

}  // namespace

FloatUpdates updates() {
  return {
      .descent = descent,
      .momentum = momentum,
      .adagrad = adagrad,
      .adam = adam,
      .rms_prop = rms_prop,
  };
}

}  // namespace troupe::TROUPE_ISA
