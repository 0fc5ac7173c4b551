#include "devices/cuda/kernels/cwise_rows.h"

#include "absl/strings/str_cat.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/broadcasting.h"

namespace troupe {
namespace {

absl::Status enqueue_unary(KernelContext& context, const std::string& kernel) {
  const Tensor& in = context.input(0);
  const int64_t n = in.num_elements();
  const void* const x = in.raw();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
  return enqueue(context, kernel, n, x, out->raw(), n);
}

/// Inputs 0 and 1, which have as many elements, element by element.
absl::Status enqueue_pair(KernelContext& context, const std::string& kernel) {
  const void* const a = context.input(0).raw();
  const void* const b = context.input(1).raw();
  BroadcastPlan<2> plan;
  plan.sizes[0] = context.input(0).num_elements();
  plan.strides[0][0] = plan.strides[1][0] = 1;
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0, 1}, 0, context.input(0).shape()));
  return enqueue(context, kernel, plan.sizes[0], a, b, out->raw(), plan);
}

absl::Status check_output_grad(const KernelContext& context) {
  const int64_t n = context.input(0).num_elements();
  if (n == context.input(1).num_elements()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("The two arguments to a cwise op must have same number of elements, got ", n,
                                                 " and ", context.input(1).num_elements()));
}

class CwiseKernel final : public Kernel {
 public:
  CwiseKernel(CwiseKind kind, std::string kernel, bool shapes_must_fit)
      : kind_(kind), kernel_(std::move(kernel)), shapes_must_fit_(shapes_must_fit) {}

  absl::Status compute(KernelContext& context) override {
    switch (kind_) {
      case CwiseKind::kUnary: return enqueue_unary(context, kernel_);
      case CwiseKind::kBinary: return enqueue_binary(context, kernel_);
      case CwiseKind::kEqual:
      case CwiseKind::kNotEqual:
        if (!shapes_must_fit_ && !common_shape(context.input(0).shape(), context.input(1).shape())) return answer_unfit(context);
        return enqueue_binary(context, kernel_);
      case CwiseKind::kActivationGrad:
        TROUPE_RETURN_IF_ERROR(check_same_shape(context, 0, 1));
        return enqueue_pair(context, kernel_);
      case CwiseKind::kOutputGrad:
        TROUPE_RETURN_IF_ERROR(check_output_grad(context));
        return enqueue_pair(context, kernel_);
    }
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  absl::Status answer_unfit(KernelContext& context) const {
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
    return CudaDevice::of(context).compute().fill(out->raw(), kind_ == CwiseKind::kNotEqual ? 1 : 0, 1);
  }

  const CwiseKind kind_;
  const std::string kernel_;
  const bool shapes_must_fit_;
};

}  // namespace

absl::Status shapes_differ(const KernelContext& context, int i, int j) {
  return absl::InvalidArgumentError(absl::StrCat("Inputs to operation ", context.node().name, " of type ", context.node().op->name,
                                                 " must have the same size and shape.  Input ", i, ": ",
                                                 context.input(i).shape().to_string(), " != input ", j, ": ",
                                                 context.input(j).shape().to_string()));
}

absl::Status check_same_shape(const KernelContext& context, int i, int j) {
  return context.input(i).shape() == context.input(j).shape() ? absl::OkStatus() : shapes_differ(context, i, j);
}

absl::Status enqueue_binary(KernelContext& context, const std::string& kernel) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const std::optional<Shape> shape = a.shape() == b.shape() ? a.shape() : common_shape(a.shape(), b.shape());
  if (!shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("Incompatible shapes: ", a.shape().to_string(), " vs. ", b.shape().to_string()));
  }
  TROUPE_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan, broadcast_plan<2>(*shape, {&a.shape(), &b.shape()}));
  const void* const x = a.raw();
  const void* const y = b.raw();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0, 1}, 0, *shape));
  return enqueue(context, kernel, shape->num_elements(), x, y, out->raw(), plan);
}

KernelFactory cuda_cwise_factory(CwiseKind kind, std::string kernel) {
  return [kind, kernel = std::move(kernel)](const KernelConstruction& c) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    const bool must_fit = c.node().attrs.get_or("incompatible_shape_error", true);
    return std::make_unique<CwiseKernel>(kind, kernel, must_fit);
  };
}

}  // namespace troupe
