// Activation functions of neural networks and their gradients.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/pair.h"

namespace troupe {
namespace {

// Klambauer et al., "Self-Normalizing Neural Networks" (2017).
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

/// NaN stays NaN.
struct ReluOp {
  static constexpr auto kVector = &FloatFunctions::relu;
  template <class T>
  T operator()(T a) const {
    return a < T(0) ? T(0) : a;
  }
};
struct Relu6Op {
  static constexpr auto kVector = &FloatFunctions::relu6;
  template <class T>
  T operator()(T a) const {
    return a < T(0) ? T(0) : (a > T(6) ? T(6) : a);
  }
};
struct EluOp {
  static constexpr auto kVector = &FloatFunctions::elu;
  template <class T>
  T operator()(T a) const {
    return a < 0 ? std::expm1(a) : a;
  }
};
struct SeluOp {
  static constexpr auto kVector = &FloatFunctions::selu;
  template <class T>
  T operator()(T a) const {
    return a < 0 ? static_cast<T>(kSeluScaleAlpha) * std::expm1(a) : static_cast<T>(kSeluScale) * a;
  }
};
/// log(1 + exp(a)), where large a are their own result and small ones that of exp.
struct SoftplusOp {
  static constexpr auto kVector = &FloatFunctions::softplus;
  template <class T>
  T operator()(T a) const {
    const T threshold = std::log(Eigen::NumTraits<T>::epsilon()) + T(2);
    if (a > -threshold) return a;
    return a < threshold ? std::exp(a) : std::log1p(std::exp(a));
  }
};
struct SoftsignOp {
  static constexpr auto kVector = &FloatFunctions::softsign;
  template <class T>
  T operator()(T a) const {
    return a / (std::abs(a) + T(1));
  }
};

// Gradients: of the first operand, given the input ("features") or the output of the function as the second.
// A gradient that is no number, or infinite, is no number behind a zero either.
struct ReluGradOp {
  static constexpr auto kVector = &FloatPairs::relu_grad;
  template <class T>
  T operator()(T g, T x) const {
    return static_cast<T>(g * static_cast<T>(x > T(0)));
  }
};
struct Relu6GradOp {
  static constexpr auto kVector = &FloatPairs::relu6_grad;
  template <class T>
  T operator()(T g, T x) const {
    return static_cast<T>(g * static_cast<T>(x > T(0) && x < T(6)));
  }
};
struct EluGradOp {
  static constexpr auto kVector = &FloatPairs::elu_grad;
  template <class T>
  T operator()(T g, T y) const {
    return y < 0 ? (y + T(1)) * g : g;
  }
};
struct SeluGradOp {
  static constexpr auto kVector = &FloatPairs::selu_grad;
  template <class T>
  T operator()(T g, T y) const {
    return y < 0 ? g * (y + static_cast<T>(kSeluScaleAlpha)) : g * static_cast<T>(kSeluScale);
  }
};
struct SoftplusGradOp {
  static constexpr auto kVector = &FloatPairs::softplus_grad;
  static constexpr bool kVectorAlways = true;
  template <class T>
  T operator()(T g, T x) const {
    return g / (std::exp(-x) + T(1));
  }
};
struct SoftsignGradOp {
  static constexpr auto kVector = &FloatPairs::softsign_grad;
  template <class T>
  T operator()(T g, T x) const {
    T d = T(1) + std::abs(x);
    return g / (d * d);
  }
};

absl::Status check_same_shape(const KernelContext& context) {
  if (context.input(0).shape() == context.input(1).shape()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Inputs to operation ", context.node().name, " of type ", context.node().op->name,
                   " must have the same size and shape.  Input 0: ", context.input(0).shape().to_string(),
                   " != input 1: ", context.input(1).shape().to_string()));
}

/// A gradient whose operands must have one shape.
class ActivationGrad final : public PairKernel {
 public:
  using PairKernel::PairKernel;

 protected:
  absl::Status check(const KernelContext& context) const override { return check_same_shape(context); }
};

/// x, or alpha x below 0; with a second operand the gradient of that.
template <class T, bool kGradient>
class LeakyRelu final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(float alpha, c.attr<float>("alpha"));
    return std::make_unique<LeakyRelu>(alpha);
  }
  explicit LeakyRelu(float alpha) : alpha_(static_cast<compute_t<T>>(alpha)) {}
  absl::Status compute(KernelContext& context) override {
    using C = compute_t<T>;
    if constexpr (kGradient) TROUPE_RETURN_IF_ERROR(check_same_shape(context));
    const Tensor& in = context.input(kGradient ? 1 : 0);
    const T* x = in.flat<T>().data();
    const T* g = context.input(0).flat<T>().data();
    const int64_t n = in.num_elements();
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
    T* o = out->flat<T>().data();
    const C alpha = alpha_;
    auto part = [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) {
        C v = element_cast<C>(g[i]);
        o[i] = element_cast<T>(element_cast<C>(x[i]) > 0 ? v : v * alpha);
      }
    };
    if (n < kParallelElements) {
      part(0, n);
    } else {
      context.parallel().parallel_for(n, 1, part);
    }
    return absl::OkStatus();
  }

 private:
  const compute_t<T> alpha_;
};

template <class... T>
void add_leaky_relu(KernelRegistry* r, Types<T...>) {
  (r->add(KernelDef("LeakyRelu").template type<T>("T").template kernel<LeakyRelu<T, false>>()), ...);
  (r->add(KernelDef("LeakyReluGrad").template type<T>("T").template kernel<LeakyRelu<T, true>>()), ...);
}

template <class Op, class... T>
void add_gradient(KernelRegistry* r, const char* op, Types<T...>, int cost = 1) {
  (add_cwise(r, op, "T", dtype_of<T>(),
             [cost](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
               return std::make_unique<ActivationGrad>(BinarySpec{binary_row<Op, T, T>, nullptr, sizeof(T),
                                                                  sizeof(T), static_cast<uint8_t>(cost)});
             }),
   ...);
}

}  // namespace

void register_cwise_activations(KernelRegistry* r) {
  add_unary<ReluOp>(r, "Relu", Floats());
  add_unary<ReluOp>(r, "Relu", SignedInts());
  add_unary<ReluOp>(r, "Relu", UnsignedInts());
  add_unary<Relu6Op>(r, "Relu6", Floats());
  add_unary<Relu6Op>(r, "Relu6", SignedInts());
  add_unary<Relu6Op>(r, "Relu6", UnsignedInts());
  add_unary<EluOp>(r, "Elu", Floats(), 10);
  add_unary<SeluOp>(r, "Selu", Floats(), 10);
  add_unary<SoftplusOp>(r, "Softplus", Floats(), 15);
  add_unary<SoftsignOp>(r, "Softsign", Floats());
  add_gradient<ReluGradOp>(r, "ReluGrad", Floats());
  add_gradient<ReluGradOp>(r, "ReluGrad", SignedInts());
  add_gradient<ReluGradOp>(r, "ReluGrad", UnsignedInts());
  add_gradient<Relu6GradOp>(r, "Relu6Grad", Floats());
  add_gradient<Relu6GradOp>(r, "Relu6Grad", SignedInts());
  add_gradient<Relu6GradOp>(r, "Relu6Grad", UnsignedInts());
  add_gradient<EluGradOp>(r, "EluGrad", Floats());
  add_gradient<SeluGradOp>(r, "SeluGrad", Floats());
  add_gradient<SoftplusGradOp>(r, "SoftplusGrad", Floats(), 8);
  add_gradient<SoftsignGradOp>(r, "SoftsignGrad", Floats());
  add_leaky_relu(r, Floats());
}

}  // namespace troupe
