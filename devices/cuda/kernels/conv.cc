#include "devices/cuda/kernels/conv.h"

#include "absl/strings/str_cat.h"
#include "devices/cuda/kernels/conv_run.h"
#include "devices/cuda/kernels/fused_steps.h"

namespace troupe {
namespace {

/// What is the same for all kernels of one op: spatial dimensions, and whether each channel has filters of its own.
struct ConvKind {
  int spatial_rank;
  bool depthwise;
};
constexpr ConvKind kConv2D = {2, false}, kConv3D = {3, false}, kDepthwise = {2, true};

absl::Status enqueue_forward(KernelContext& context, const WindowAttrs& attrs, bool depthwise) {
  const Tensor &input = context.input(0), &filter = context.input(1);
  TROUPE_ASSIGN_OR_RETURN(const ConvProblem p, make_problem(attrs, depthwise, input.shape(), filter.shape()));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, attrs.layout.shape(p.batch, p.out.data(), p.out_channels));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return enqueue_conv(context, ConvPass::kForward, p, input, filter, out);
}

template <ConvKind kKind>
class ConvForwardKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, kKind.spatial_rank));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    return enqueue_forward(context, attrs_, kKind.depthwise);
  }

 private:
  WindowAttrs attrs_;
};

template <ConvKind kKind, ConvPass kPass, bool kSizesAreTensor>
class ConvBackwardKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, kKind.spatial_rank));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    constexpr bool kForInput = kPass == ConvPass::kBackwardInput;
    const Tensor& out_backprop = context.input(2);
    Shape shapes[2] = {context.input(0).shape(), context.input(1).shape()};
    TROUPE_ASSIGN_OR_RETURN(shapes[kForInput ? 0 : 1],
                            told_shape(context.input(kForInput ? 0 : 1), kSizesAreTensor, attrs_.layout,
                                       context.input(1), out_backprop, kForInput));
    const auto& [input, filter] = shapes;
    const Shape& wanted = kForInput ? input : filter;
    const int rank = attrs_.layout.rank();
    if (filter.num_elements() == 0 && filter.rank() == rank && input.rank() == rank &&
        out_backprop.rank() == rank) {
      // Nothing comes of an empty filter, and goes into one: no error, unlike forwards.
      TROUPE_ASSIGN_OR_RETURN(Tensor * zero, context.allocate_output(0, wanted));
      return enqueue_zeros(context, zero);
    }
    TROUPE_ASSIGN_OR_RETURN(const ConvProblem p, make_problem(attrs_, kKind.depthwise, input, filter));
    TROUPE_RETURN_IF_ERROR(check_out_backprop(attrs_, p, out_backprop.shape(), context.node().op->name));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, wanted));
    return enqueue_conv(context, kPass, p, context.input(kForInput ? 1 : 0), out_backprop, out);
  }

 private:
  WindowAttrs attrs_;
};

/// _FusedConv2D: a convolution, then bias or normalisation, sum and activation.
class FusedConvKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, 2));
    TROUPE_ASSIGN_OR_RETURN(steps_, FusedSteps::make(c));
    if (c.node().attrs.get_or<std::string>("filter_format", "HWIO") != "HWIO")
      return absl::UnimplementedError("Fused convolutions take filters in HWIO format only");
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &input = context.input(0), &filter = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(const ConvProblem p, make_problem(attrs_, false, input.shape(), filter.shape()));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, attrs_.layout.shape(p.batch, p.out.data(), p.out_channels));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    TROUPE_RETURN_IF_ERROR(enqueue_conv(context, ConvPass::kForward, p, input, filter, out));
    return enqueue_fused_steps(context, steps_, 2, attrs_.layout.channels_last, *out);
  }

 private:
  WindowAttrs attrs_;
  FusedSteps steps_;
};

void add_gradients_2d(KernelRegistry* r, DataType t) {
  constexpr ConvPass kInput = ConvPass::kBackwardInput, kFilter = ConvPass::kBackwardFilter;
  auto gpu = [t](const char* op) { return KernelDef(op).device("GPU").types("T", {t}); };
  r->add(gpu("Conv2DBackpropInput")
             .host_memory({"input_sizes"})
             .kernel<ConvBackwardKernel<kConv2D, kInput, false>>());
  r->add(gpu("Conv2DBackpropFilter")
             .host_memory({"filter_sizes"})
             .kernel<ConvBackwardKernel<kConv2D, kFilter, false>>());
  r->add(gpu("Conv2DBackpropInputV2").kernel<ConvBackwardKernel<kConv2D, kInput, true>>());
  r->add(gpu("Conv2DBackpropFilterV2").kernel<ConvBackwardKernel<kConv2D, kFilter, true>>());
  r->add(gpu("DepthwiseConv2dNativeBackpropInput")
             .host_memory({"input_sizes"})
             .kernel<ConvBackwardKernel<kDepthwise, kInput, false>>());
  r->add(gpu("DepthwiseConv2dNativeBackpropFilter")
             .host_memory({"filter_sizes"})
             .kernel<ConvBackwardKernel<kDepthwise, kFilter, false>>());
}

void add_gradients_3d(KernelRegistry* r, DataType t) {
  constexpr ConvPass kInput = ConvPass::kBackwardInput, kFilter = ConvPass::kBackwardFilter;
  auto gpu = [t](const char* op) { return KernelDef(op).device("GPU").types("T", {t}); };
  r->add(gpu("Conv3DBackpropInputV2")
             .host_memory({"input_sizes"})
             .kernel<ConvBackwardKernel<kConv3D, kInput, false>>());
  r->add(gpu("Conv3DBackpropFilterV2")
             .host_memory({"filter_sizes"})
             .kernel<ConvBackwardKernel<kConv3D, kFilter, false>>());
  if (t == DataType::kBfloat16) return;
  r->add(gpu("Conv3DBackpropInput").kernel<ConvBackwardKernel<kConv3D, kInput, true>>());
  r->add(gpu("Conv3DBackpropFilter").kernel<ConvBackwardKernel<kConv3D, kFilter, true>>());
}

}  // namespace

void register_cuda_conv_kernels(KernelRegistry* registry) {
  for (DataType t : {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16}) {
    auto gpu = [t](const char* op) { return KernelDef(op).device("GPU").types("T", {t}); };
    registry->add(gpu("Conv2D").kernel<ConvForwardKernel<kConv2D>>());
    registry->add(gpu("Conv3D").kernel<ConvForwardKernel<kConv3D>>());
    registry->add(gpu("DepthwiseConv2dNative").kernel<ConvForwardKernel<kDepthwise>>());
    add_gradients_2d(registry, t);
    add_gradients_3d(registry, t);
    if (t == DataType::kBfloat16) continue;
    // The arguments are of the images' dtype here, and in the memory of the GPU.
    registry->add(
        gpu("_FusedConv2D").types("TArgs", {t}).host_memory({"host_args"}).kernel<FusedConvKernel>());
  }
}

}  // namespace troupe
