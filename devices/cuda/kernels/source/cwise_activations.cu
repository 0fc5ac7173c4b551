// Activations of neural networks, and gradients of these and of other functions.
#include "devices/cuda/kernels/source/functions.h"

namespace troupe::launchable {

/// x, or alpha x below 0.
template <class T>
struct LeakyRelu {
  T alpha;
  TROUPE_DEVICE T operator()(T x) const { return x > 0 ? x : x * alpha; }
  TROUPE_DEVICE T operator()(T g, T x) const { return x > 0 ? g : g * alpha; }
};

}  // namespace troupe::launchable

#define TROUPE_LEAKY_RELU(name, Op, suffix, T)                                                \
  TROUPE_KERNEL(name##_##suffix, (const T* x, T* y, int64_t n, float alpha)) {                \
    map_unary(x, y, n, Op<compute_t<T>>{static_cast<compute_t<T>>(alpha)});                   \
  }                                                                                           \
  TROUPE_KERNEL(name##_grad_##suffix, (const T* g, const T* x, T* y, int64_t n, float alpha)) { \
    map_flat(g, 1, x, 1, y, n, Op<compute_t<T>>{static_cast<compute_t<T>>(alpha)});           \
  }

TROUPE_FLOATS(TROUPE_UNARY, relu, ReluOp)
TROUPE_FLOATS(TROUPE_UNARY, relu6, Relu6Op)
TROUPE_FLOATS(TROUPE_UNARY, elu, EluOp)
TROUPE_FLOATS(TROUPE_UNARY, selu, SeluOp)
TROUPE_FLOATS(TROUPE_UNARY, softplus, SoftplusOp)
TROUPE_FLOATS(TROUPE_UNARY, softsign, SoftsignOp)
TROUPE_FLOATS(TROUPE_LEAKY_RELU, leaky_relu, LeakyRelu)
TROUPE_FLOATS(TROUPE_BINARY, relu_grad, ReluGradOp)
TROUPE_FLOATS(TROUPE_BINARY, relu6_grad, Relu6GradOp)
TROUPE_FLOATS(TROUPE_BINARY, elu_grad, EluGradOp)
TROUPE_FLOATS(TROUPE_BINARY, selu_grad, SeluGradOp)
TROUPE_FLOATS(TROUPE_BINARY, softplus_grad, SoftplusGradOp)
TROUPE_FLOATS(TROUPE_BINARY, softsign_grad, SoftsignGradOp)

#define TROUPE_NUMBERS(M, name, Op) TROUPE_FLOATS(M, name, Op) TROUPE_COMPLEXES(M, name, Op)
TROUPE_NUMBERS(TROUPE_BINARY, sigmoid_grad, SigmoidGradOp)
TROUPE_NUMBERS(TROUPE_BINARY, tanh_grad, TanhGradOp)
TROUPE_NUMBERS(TROUPE_BINARY, sqrt_grad, SqrtGradOp)
TROUPE_NUMBERS(TROUPE_BINARY, rsqrt_grad, RsqrtGradOp)
TROUPE_NUMBERS(TROUPE_BINARY, reciprocal_grad, ReciprocalGradOp)
