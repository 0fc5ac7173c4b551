// Gradients of unary functions by their outputs y and the gradients dy of these.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/pair.h"

namespace troupe {
namespace {

template <class T>
T conjugate(const T& a) {
  if constexpr (is_complex_v<T>) {
    return std::conj(a);
  } else {
    return a;
  }
}

struct SigmoidGradOp {
  static constexpr auto kVector = &FloatPairs::sigmoid_grad;
  template <class T>
  T operator()(const T& y, const T& dy) const {
    return y * (T(1) - y) * dy;
  }
};
struct TanhGradOp {
  static constexpr auto kVector = &FloatPairs::tanh_grad;
  template <class T>
  T operator()(const T& y, const T& dy) const {
    return dy * (T(1) - y * y);
  }
};
/// Nothing comes of no gradient, whatever y is: as TensorFlow has it for the next three.
struct SqrtGradOp {
  static constexpr auto kVector = &FloatPairs::sqrt_grad;
  template <class T>
  T operator()(const T& y, const T& dy) const {
    return dy == T(0) ? T(0) : T(0.5) * dy / conjugate(y);
  }
};
struct RsqrtGradOp {
  static constexpr auto kVector = &FloatPairs::rsqrt_grad;
  template <class T>
  T operator()(const T& y, const T& dy) const {
    const T c = conjugate(y);
    return dy == T(0) ? T(0) : T(-0.5) * dy * (c * c * c);
  }
};
struct ReciprocalGradOp {
  template <class T>
  T operator()(const T& y, const T& dy) const {
    const T c = conjugate(y);
    return dy == T(0) ? T(0) : -c * c * dy;
  }
};

/// Operands of equal element counts; the result has the shape of the first.
class OutputGrad final : public PairKernel {
 public:
  using PairKernel::PairKernel;

 protected:
  absl::Status check(const KernelContext& context) const override {
    const int64_t n = context.input(0).num_elements();
    if (n == context.input(1).num_elements()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("The two arguments to a cwise op must have same number of elements, got ", n, " and ",
                     context.input(1).num_elements()));
  }
};

template <class Op, class... T>
void add_types(KernelRegistry* r, const char* op, Types<T...>, uint8_t cost) {
  (add_cwise(r, op, "T", dtype_of<T>(),
             [cost](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
               return std::make_unique<OutputGrad>(
                   BinarySpec{binary_row<Op, T, T>, nullptr, sizeof(T), sizeof(T), cost});
             }),
   ...);
}
template <class Op>
void add_all(KernelRegistry* r, const char* op) {
  add_types<Op>(r, op, Floats(), 1);
  add_types<Op>(r, op, Complexes(), 6);
}

}  // namespace

void register_cwise_gradients(KernelRegistry* r) {
  add_all<SigmoidGradOp>(r, "SigmoidGrad");
  add_all<TanhGradOp>(r, "TanhGrad");
  add_all<SqrtGradOp>(r, "SqrtGrad");
  add_all<RsqrtGradOp>(r, "RsqrtGrad");
  add_all<ReciprocalGradOp>(r, "InvGrad");
  add_all<ReciprocalGradOp>(r, "ReciprocalGrad");
}

}  // namespace troupe
