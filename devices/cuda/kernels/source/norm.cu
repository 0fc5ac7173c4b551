// Biases, local response normalisation and batch normalisation. Images are [outer, channels, inner].
#include "devices/cuda/kernels/norm_args.h"
#include "devices/cuda/kernels/source/reduce.h"

namespace troupe::launchable {

TROUPE_DEVICE int64_t channel_of(int64_t i, int64_t channels, int64_t inner) {
  return (inner == 1 ? i : i / inner) % channels;
}

// What is folded of each channel. `mean` has one number a channel.

template <class T>
struct LoadNumber {
  const T* x;
  TROUPE_DEVICE float operator()(int64_t offset, int64_t, int64_t) const {
    return static_cast<float>(x[offset]);
  }
};
template <class T>
struct LoadDeviation {
  const T* x;
  const float* mean;
  TROUPE_DEVICE float operator()(int64_t offset, int64_t channel, int64_t) const {
    const float d = static_cast<float>(x[offset]) - mean[channel];
    return d * d;
  }
};
/// A gradient, and how it goes with the numbers.
struct GradSums {
  float dy;
  float dy_x;
};
struct GradFold {
  using Acc = GradSums;
  static TROUPE_DEVICE Acc start() { return {0, 0}; }
  static TROUPE_DEVICE Acc join(Acc a, Acc b) { return {a.dy + b.dy, a.dy_x + b.dy_x}; }
};
template <class T>
struct LoadGrad {
  const T* dy;
  const T* x;
  const float* mean;
  TROUPE_DEVICE GradSums operator()(int64_t offset, int64_t channel, int64_t) const {
    const float g = static_cast<float>(dy[offset]);
    return {g, g * (static_cast<float>(x[offset]) - mean[channel])};
  }
};
template <class Y>
TROUPE_DEVICE Y finished(GradSums acc, int64_t, FoldFinish) {
  return acc;
}

using FloatSum = SumFold<float>;

}  // namespace troupe::launchable

#define TROUPE_BIAS(sfx, T)                                                                      \
  TROUPE_KERNEL(bias_add_##sfx,                                                                  \
                (const T* x, const T* bias, T* y, int64_t n, int64_t channels, int64_t inner)) { \
    TROUPE_FOR_EACH(i, n) y[i] = static_cast<T>(x[i] + bias[channel_of(i, channels, inner)]);    \
  }
TROUPE_BIAS(f32, float)
TROUPE_BIAS(f64, double)
TROUPE_BIAS(f16, half_t)
TROUPE_BIAS(bf16, bfloat16_t)
TROUPE_BIAS(u32, uint32_t)

// Sums of the pieces, whatever was folded.
TROUPE_KERNEL(channel_pieces, (const float* pieces, float* y, int64_t outputs, int64_t chunks, int64_t count,
                               troupe::FoldFinish finish)) {
  fold_pieces<FloatSum>(pieces, outputs, chunks, StorePiece<float, float>{nullptr, y, count, true, finish});
}
TROUPE_KERNEL(channel_grad_pieces, (const GradSums* pieces, GradSums* y, int64_t outputs, int64_t chunks,
                                    int64_t count, troupe::FoldFinish finish)) {
  fold_pieces<GradFold>(pieces, outputs, chunks,
                        StorePiece<GradSums, GradSums>{nullptr, y, count, true, finish});
}

// `inputs` and LOAD, which is made of them, are lists in parentheses.
#define TROUPE_LIST(...) __VA_ARGS__
#define TROUPE_CHANNEL_FOLD(op, sfx, inputs, FOLD, LOAD)                                           \
  TROUPE_KERNEL(op##_rows_##sfx, (TROUPE_LIST inputs, FOLD::Acc * pieces, FOLD::Acc * y,           \
                                  troupe::FoldPlan plan, troupe::FoldFinish finish)) {             \
    const StorePiece<FOLD::Acc, FOLD::Acc> store{pieces, y, plan.count, plan.chunks == 1, finish}; \
    fold_rows<FOLD>(plan, TROUPE_LIST LOAD, store);                                                \
  }                                                                                                \
  TROUPE_KERNEL(op##_columns_##sfx, (TROUPE_LIST inputs, FOLD::Acc * pieces, FOLD::Acc * y,        \
                                     troupe::FoldPlan plan, troupe::FoldFinish finish)) {          \
    const StorePiece<FOLD::Acc, FOLD::Acc> store{pieces, y, plan.count, plan.chunks == 1, finish}; \
    fold_columns<FOLD>(plan, TROUPE_LIST LOAD, store);                                             \
  }

#define TROUPE_CHANNELS(sfx, T)                                                                           \
  TROUPE_CHANNEL_FOLD(channel_mean, sfx, (const T* x), FloatSum, (LoadNumber<T>{x}))                      \
  TROUPE_CHANNEL_FOLD(channel_variance, sfx, (const T* x, const float* mean), FloatSum,                   \
                      (LoadDeviation<T>{x, mean}))                                                        \
  TROUPE_CHANNEL_FOLD(channel_grad, sfx, (const T* dy, const T* x, const float* mean), GradFold,          \
                      (LoadGrad<T>{dy, x, mean}))                                                         \
  TROUPE_KERNEL(batch_norm_##sfx,                                                                         \
                (const T* x, const T* side, const float* mean, const float* factor, const float* offset,  \
                 T* y, int64_t n, int64_t channels, int64_t inner, int32_t relu)) {                       \
    TROUPE_FOR_EACH(i, n) {                                                                               \
      const int64_t c = channel_of(i, channels, inner);                                                   \
      float v = (static_cast<float>(x[i]) - mean[c]) * factor[c] + offset[c];                             \
      if (side != nullptr) v += static_cast<float>(side[i]);                                              \
      y[i] = static_cast<T>(relu != 0 && v < 0 ? 0.0F : v);                                               \
    }                                                                                                     \
  }                                                                                                       \
  TROUPE_KERNEL(batch_norm_grad_##sfx,                                                                    \
                (const T* dy, const T* x, const float* mean, const float* coefficients, T* dx, int64_t n, \
                 int64_t channels, int64_t inner)) {                                                      \
    TROUPE_FOR_EACH(i, n) {                                                                               \
      const int64_t c = channel_of(i, channels, inner);                                                   \
      dx[i] = static_cast<T>(coefficients[c] * static_cast<float>(dy[i]) +                                \
                             coefficients[channels + c] * (static_cast<float>(x[i]) - mean[c]) +          \
                             coefficients[2 * channels + c]);                                             \
    }                                                                                                     \
  }
TROUPE_CHANNELS(f32, float)
TROUPE_CHANNELS(f16, half_t)
TROUPE_CHANNELS(bf16, bfloat16_t)

// What the elements are multiplied by, and the running statistics.
TROUPE_KERNEL(batch_norm_channels, (const float* mean, const float* variance, const float* scale,
                                    const float* old_mean, const float* old_variance, float* factor,
                                    float* new_mean, float* new_variance, troupe::BatchNormArgs args)) {
  TROUPE_FOR_EACH(c, args.channels) {
    factor[c] = scale[c] / std::sqrt(variance[c] + args.epsilon);
    float m = mean[c];
    float v = variance[c] * args.bessel;
    if (args.average_factor != 1) {
      m = (1 - args.average_factor) * old_mean[c] + args.average_factor * m;
      v = (1 - args.average_factor) * old_variance[c] + args.average_factor * v;
    }
    new_mean[c] = m;
    new_variance[c] = v;
  }
}

// dx = a * dy + b * (x - mean) + d: a, b and d by channel.
TROUPE_KERNEL(batch_norm_grad_channels,
              (const GradSums* sums, const float* scale, const float* variance, float* scale_grad,
               float* offset_grad, float* coefficients, troupe::BatchNormArgs args)) {
  TROUPE_FOR_EACH(c, args.channels) {
    const float inverse = 1.0F / std::sqrt(variance[c] + args.epsilon);
    offset_grad[c] = sums[c].dy;
    scale_grad[c] = sums[c].dy_x * inverse;
    const float a = scale[c] * inverse;
    coefficients[c] = a;
    const bool training = args.training != 0;
    const auto count = static_cast<float>(args.count);
    coefficients[args.channels + c] = training ? -a * inverse * inverse * (sums[c].dy_x / count) : 0;
    coefficients[2 * args.channels + c] = training ? -a * (sums[c].dy / count) : 0;
  }
}

namespace troupe::launchable {

/// bias + alpha * the sum of the squares of the channels within the radius of channel c.
TROUPE_DEVICE float lrn_norm(const float* pixel, int64_t c, const LrnArgs& args) {
  const int64_t begin = c > args.radius ? c - args.radius : 0;
  const int64_t end = least(args.depth, c + args.radius + 1);
  float sum = 0;
  for (int64_t k = begin; k < end; ++k) sum += pixel[k] * pixel[k];
  return args.bias + args.alpha * sum;
}

}  // namespace troupe::launchable

TROUPE_KERNEL(lrn_f32, (const float* x, float* y, int64_t n, troupe::LrnArgs args)) {
  TROUPE_FOR_EACH(i, n) {
    const int64_t c = i % args.depth;
    y[i] = x[i] * std::pow(lrn_norm(x + (i - c), c, args), -args.beta);
  }
}
TROUPE_KERNEL(lrn_norms_f32, (const float* x, float* norms, int64_t n, troupe::LrnArgs args)) {
  TROUPE_FOR_EACH(i, n) {
    const int64_t c = i % args.depth;
    norms[i] = lrn_norm(x + (i - c), c, args);
  }
}
TROUPE_KERNEL(lrn_grad_f32, (const float* dy, const float* x, const float* y, const float* norms, float* dx,
                             int64_t n, troupe::LrnArgs args)) {
  TROUPE_FOR_EACH(i, n) {
    const int64_t c = i % args.depth;
    const int64_t pixel = i - c;
    const int64_t begin = c > args.radius ? c - args.radius : 0;
    const int64_t end = least(args.depth, c + args.radius + 1);
    float sum = 0;
    for (int64_t k = pixel + begin; k < pixel + end; ++k) {
      sum += -2.0F * args.alpha * args.beta * y[k] / norms[k] * dy[k];
    }
    dx[i] = sum * x[i] + std::pow(norms[i], -args.beta) * dy[i];
  }
}
