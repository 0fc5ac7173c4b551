// Element-wise operations with attrs, or of three and more operands.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/cwise_args.h"
#include "devices/cuda/kernels/cwise_parts.h"
#include "devices/cuda/kernels/cwise_rows.h"
#include "devices/cuda/kernels/host_kernel.h"

namespace troupe {
namespace {

using enum DataType;

/// The sum of all inputs, in their order.
absl::Status add_n(KernelContext& context) {
  const Shape shape = context.input(0).shape();
  const DataType dtype = context.input(0).dtype();
  const int inputs = context.num_inputs();
  for (int k = 1; k < inputs; ++k) TROUPE_RETURN_IF_ERROR(check_same_shape(context, 0, k));
  if (inputs == 1) {
    context.forward_input(0, 0);
    return absl::OkStatus();
  }
  // Only the first operand is given up: of others a later launch may have to read what an earlier one has not.
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, shape));
  for (int next = 0; next < inputs;) {
    Summands summands;
    // What the launches before have added up.
    if (next > 0) summands.data[summands.count++] = out->raw();
    while (next < inputs && summands.count < kMostSummands) summands.data[summands.count++] = context.input(next++).raw();
    TROUPE_RETURN_IF_ERROR(
        enqueue(context, with_suffix("add_n", dtype), shape.num_elements(), summands, out->raw(), shape.num_elements()));
  }
  return absl::OkStatus();
}

int64_t step_of(const Tensor& t) { return t.rank() == 0 ? 0 : 1; }

absl::Status clip_by_value(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& low = context.input(1);
  const Tensor& high = context.input(2);
  auto fits = [&](const Tensor& t) { return t.rank() == 0 || t.shape() == x.shape(); };
  if (!fits(low) || !fits(high)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input shape: ",
        x.shape().to_string(), "clip_value_min shape: ", low.shape().to_string(), "clip_value_max shape: ",
        high.shape().to_string()));
  }
  const int64_t n = x.num_elements();
  const void* const from = x.raw();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, x.shape()));
  return enqueue(context, with_suffix("clip", x.dtype()), n, from, static_cast<const void*>(low.raw()), step_of(low),
                 static_cast<const void*>(high.raw()), step_of(high), out->raw(), n);
}

class ApproximateEqual final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("tolerance", &tolerance_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
    if (!(x.shape() == y.shape())) {
      return absl::InvalidArgumentError(absl::StrCat("x and y must be of the same shape. x shape: ", x.shape().to_string(),
                                                     ". y shape: ", y.shape().to_string()));
    }
    const int64_t n = x.num_elements();
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    return enqueue(context, with_suffix("approximate_equal", x.dtype()), n, x.raw(), y.raw(), out->raw(), n, tolerance_);
  }

 private:
  float tolerance_ = 0;
};

/// x, or alpha x below 0; with a second operand the gradient of that.
template <bool kGradient>
class LeakyRelu final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("alpha", &alpha_); }
  absl::Status compute(KernelContext& context) override {
    if constexpr (kGradient) TROUPE_RETURN_IF_ERROR(check_same_shape(context, 0, 1));
    const Tensor& first = context.input(0);
    const int64_t n = first.num_elements();
    const DataType dtype = first.dtype();
    const void* const x = first.raw();
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, first.shape()));
    if constexpr (kGradient) {
      const void* const features = context.input(1).raw();
      return enqueue(context, with_suffix("leaky_relu_grad", dtype), n, x, features, out->raw(), n, alpha_);
    } else {
      return enqueue(context, with_suffix("leaky_relu", dtype), n, x, out->raw(), n, alpha_);
    }
  }

 private:
  float alpha_ = 0;
};

/// The regularised incomplete beta function of three operands, each of one shape or a scalar.
absl::Status betainc(KernelContext& context) {
  static constexpr const char* kNames[3] = {"a", "b", "x"};
  int first = 0;
  for (int k = 1; k < 3; ++k) {
    const Shape& shape = context.input(k).shape();
    if (shape.rank() == 0) continue;
    if (context.input(first).rank() == 0) {
      first = k;
    } else if (!(shape == context.input(first).shape())) {
      return absl::InvalidArgumentError(absl::StrCat("Shapes of ", kNames[first], " and ", kNames[k], " are inconsistent: ",
                                                     context.input(first).shape().to_string(), " vs. ", shape.to_string()));
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, context.input(first).shape()));
  const Tensor &a = context.input(0), &b = context.input(1), &x = context.input(2);
  return enqueue(context, with_suffix("betainc", a.dtype()), out->num_elements(), a.raw(), step_of(a), b.raw(), step_of(b), x.raw(),
                 step_of(x), out->raw(), out->num_elements());
}

}  // namespace

void register_cuda_cwise_many(KernelRegistry* registry) {
  const std::vector<DataType> floats = {kFloat, kDouble, kHalf, kBfloat16};
  for (const char* op : {"AddN", "AccumulateNV2"}) {
    registry->add(KernelDef(op)
                      .device("GPU")
                      .types("T", {kFloat, kDouble, kHalf, kBfloat16, kComplex64, kComplex128, kInt8, kInt16, kInt64, kUint8, kUint16,
                                   kUint32, kUint64})
                      .fn(add_n));
    add_host_kernel(registry, KernelDef(op).device("GPU").types("T", {kInt32}).host_memory({"inputs", "sum"}));
  }
  registry->add(KernelDef("ClipByValue")
                    .device("GPU")
                    .types("T", {kFloat, kDouble, kHalf, kBfloat16, kComplex64, kComplex128, kInt8, kInt16, kInt64, kUint8, kUint16})
                    .fn(clip_by_value));
  add_host_kernel(registry, KernelDef("ClipByValue")
                                .device("GPU")
                                .types("T", {kInt32})
                                .host_memory({"t", "clip_value_min", "clip_value_max", "output"}));
  registry->add(KernelDef("ApproximateEqual").device("GPU").types("T", {kFloat, kDouble}).kernel<ApproximateEqual>());
  registry->add(KernelDef("LeakyRelu").device("GPU").types("T", floats).kernel<LeakyRelu<false>>());
  registry->add(KernelDef("LeakyReluGrad").device("GPU").types("T", floats).kernel<LeakyRelu<true>>());
  registry->add(KernelDef("Betainc").device("GPU").types("T", {kFloat, kDouble}).fn(betainc));
}

}  // namespace troupe
