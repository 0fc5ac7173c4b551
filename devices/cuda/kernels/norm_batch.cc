// FusedBatchNorm, V2, V3 and _FusedBatchNormEx, with gradients. The statistics are floats whatever the images are.
#include <algorithm>
#include <cmath>

#include "devices/common/array_values.h"
#include "devices/common/norm/batch_norm.h"
#include "devices/cuda/kernels/enqueue_fold.h"
#include "devices/cuda/kernels/norm_args.h"
#include "devices/cuda/kernels/norm_parts.h"

namespace troupe {
namespace {

FoldKernels channel_kernels(absl::string_view op, absl::string_view pieces, DataType dtype) {
  return {with_suffix(absl::StrCat(op, "_rows"), dtype), with_suffix(absl::StrCat(op, "_columns"), dtype),
          std::string(pieces)};
}

BatchNormArgs args_of(const BatchNormAttrs& attrs, const Images& s) {
  BatchNormArgs a;
  a.channels = s.channels;
  a.count = s.per_channel();
  a.epsilon = attrs.epsilon;
  a.training = attrs.training ? 1 : 0;
  return a;
}

/// Outputs: y, batch mean, batch variance (with Bessel's correction), then what the gradient wants: mean and population variance, and
/// from V3 on something empty.
class BatchNorm final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, BatchNormAttrs::make(c));
    const auto activation = c.node().attrs.get_or<std::string>("activation_mode", "Identity");
    if (activation != "Identity" && activation != "Relu")
      return invalid("Unsupported activation mode: ", activation);
    relu_ = activation == "Relu";
    side_input_ = c.num_inputs() > 5;
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    TROUPE_ASSIGN_OR_RETURN(Images s, attrs_.check(c, side_input_));
    Tensor* out[5] = {};
    for (int i = 1; i < 5; ++i) {
      TROUPE_ASSIGN_OR_RETURN(out[i], c.allocate_output(i, Shape{s.channels}));
    }
    if (c.num_outputs() > 5) TROUPE_RETURN_IF_ERROR(c.allocate_output(5, Shape{0}).status());
    TROUPE_ASSIGN_OR_RETURN(Tensor factor, c.allocate_temp(DataType::kFloat, Shape{s.channels}));
    TROUPE_RETURN_IF_ERROR(statistics(c, s, out[3], out[4]));
    TROUPE_RETURN_IF_ERROR(enqueue(c, "batch_norm_channels", s.channels, std::as_const(*out[3]).raw(),
                                   std::as_const(*out[4]).raw(), c.input(1).raw(), c.input(3).raw(),
                                   c.input(4).raw(), factor.raw(), out[1]->raw(), out[2]->raw(),
                                   channel_args(s)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * y, c.forward_or_allocate_output({0}, 0, x.shape()));
    const void* side = side_input_ ? c.input(5).raw() : nullptr;
    return enqueue(c, with_suffix("batch_norm", x.dtype()), x.num_elements(), x.raw(), side, out[3]->raw(),
                   factor.raw(), c.input(2).raw(), y->raw(), x.num_elements(), s.channels, s.inner,
                   static_cast<int32_t>(relu_));
  }

 private:
  /// Without training the statistics are those given, as they are.
  BatchNormArgs channel_args(const Images& s) const {
    BatchNormArgs args = args_of(attrs_, s);
    if (!attrs_.training) return args;
    const auto count = static_cast<double>(s.per_channel());
    args.average_factor = attrs_.average_factor;
    args.bessel = static_cast<float>(count / std::max(count - 1, 1.0));
    return args;
  }

  absl::Status statistics(KernelContext& c, const Images& s, Tensor* mean, Tensor* variance) const {
    if (!attrs_.training) {
      TROUPE_RETURN_IF_ERROR(enqueue_copy(c, c.input(3).raw(), mean->raw(), mean->bytes()));
      return enqueue_copy(c, c.input(4).raw(), variance->raw(), variance->bytes());
    }
    if (s.channels == 0) return absl::OkStatus();
    const Tensor& x = c.input(0);
    TROUPE_ASSIGN_OR_RETURN(FoldPlan plan, plan_of_channels(s.outer, s.channels, s.inner));
    TROUPE_RETURN_IF_ERROR(enqueue_fold_of(c, channel_kernels("channel_mean", "channel_pieces", x.dtype()),
                                           mean->raw(), plan, FoldFinish::kMean, x.raw()));
    return enqueue_fold_of(c, channel_kernels("channel_variance", "channel_pieces", x.dtype()),
                           variance->raw(), plan, FoldFinish::kMean, x.raw(), mean->raw());
  }

  BatchNormAttrs attrs_;
  bool relu_ = false;
  bool side_input_ = false;
};

class BatchNormGrad final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, BatchNormAttrs::make(c));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& c) override {
    TROUPE_ASSIGN_OR_RETURN(Images s, attrs_.check_gradient(c));
    TROUPE_ASSIGN_OR_RETURN(Tensor * scale_grad, c.allocate_output(1, Shape{s.channels}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * offset_grad, c.allocate_output(2, Shape{s.channels}));
    for (int i : {3, 4}) {
      // The running statistics have no gradient.
      TROUPE_ASSIGN_OR_RETURN(Tensor * none, c.allocate_output(i, Shape()));
      TROUPE_RETURN_IF_ERROR(enqueue_zeros(c, none));
    }
    const Tensor &dy = c.input(0), &x = c.input(1), &mean = c.input(3);
    TROUPE_ASSIGN_OR_RETURN(Tensor sums, c.allocate_temp(DataType::kFloat, Shape{s.channels, 2}));
    TROUPE_ASSIGN_OR_RETURN(Tensor coefficients, c.allocate_temp(DataType::kFloat, Shape{3, s.channels}));
    if (s.channels > 0) {
      TROUPE_ASSIGN_OR_RETURN(FoldPlan plan, plan_of_channels(s.outer, s.channels, s.inner));
      TROUPE_RETURN_IF_ERROR(
          enqueue_fold_of(c, channel_kernels("channel_grad", "channel_grad_pieces", x.dtype()), sums.raw(),
                          plan, FoldFinish::kNone, dy.raw(), x.raw(), mean.raw()));
    }
    TROUPE_RETURN_IF_ERROR(enqueue(c, "batch_norm_grad_channels", s.channels, sums.raw(), c.input(2).raw(),
                                   c.input(4).raw(), scale_grad->raw(), offset_grad->raw(),
                                   coefficients.raw(), args_of(attrs_, s)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * dx, c.forward_or_allocate_output({0, 1}, 0, x.shape()));
    return enqueue(c, with_suffix("batch_norm_grad", x.dtype()), x.num_elements(), dy.raw(), x.raw(),
                   mean.raw(), coefficients.raw(), dx->raw(), x.num_elements(), s.channels, s.inner);
  }

 private:
  BatchNormAttrs attrs_;
};

}  // namespace

void register_cuda_batch_norm(KernelRegistry* r) {
  const std::vector<DataType> images = {DataType::kFloat, DataType::kHalf, DataType::kBfloat16};
  const auto gpu = [](const char* op, std::vector<DataType> types) {
    return KernelDef(op).device("GPU").types("T", std::move(types));
  };
  r->add(gpu("FusedBatchNorm", {DataType::kFloat}).kernel<BatchNorm>());
  r->add(gpu("FusedBatchNormGrad", {DataType::kFloat}).kernel<BatchNormGrad>());
  for (const char* op : {"FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx"}) {
    r->add(gpu(op, images).type<float>("U").kernel<BatchNorm>());
  }
  for (const char* op : {"FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    r->add(gpu(op, images).type<float>("U").kernel<BatchNormGrad>());
  }
}

}  // namespace troupe
