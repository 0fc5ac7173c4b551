#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/pool_parts.h"

namespace troupe {
namespace {

/// MaxPool, and MaxPoolV2, whose inputs from 1 on are ksize and strides.
template <int kSpatial, bool kV2>
class MaxPoolKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, kSpatial, !kV2));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    PoolAttrs attrs = attrs_;
    if constexpr (kV2) {
      TROUPE_ASSIGN_OR_RETURN(attrs, attrs_.with_sizes(context.input(1), context.input(2)));
    }
    TROUPE_ASSIGN_OR_RETURN(const PoolProblem p, attrs.problem(in.shape(), "tensor_in", kSpatial == 2));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, p.out));
    return enqueue(context, with_suffix("max_pool", in.dtype()), out->num_elements(), in.raw(), out->raw(),
                   pool_shape(p));
  }

 private:
  PoolAttrs attrs_;
};

/// MaxPoolGrad (kGradGrad false: grad is like the output) and MaxPoolGradGrad (grad is like the input).
template <int kSpatial, bool kV2, bool kGradGrad>
class MaxPoolGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, kSpatial, !kV2));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &in = context.input(0), &pooled = context.input(1), &grad = context.input(2);
    PoolAttrs attrs = attrs_;
    if constexpr (kV2) {
      TROUPE_ASSIGN_OR_RETURN(attrs, attrs_.with_sizes(context.input(3), context.input(4)));
    }
    TROUPE_ASSIGN_OR_RETURN(const PoolProblem p, attrs.problem(in.shape(), "tensor_in", false));
    TROUPE_RETURN_IF_ERROR(check_shape("orig_output", p.out, pooled.shape()));
    TROUPE_RETURN_IF_ERROR(check_shape("grad", kGradGrad ? in.shape() : p.out, grad.shape()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, kGradGrad ? p.out : in.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    // Where each window has its maximum: found once, though an input pixel asks for that of every window that it is in.
    TROUPE_ASSIGN_OR_RETURN(Tensor where, context.allocate_temp(DataType::kInt64, p.out));
    const PoolShape shape = pool_shape(p);
    TROUPE_RETURN_IF_ERROR(enqueue(context, with_suffix("max_pool_where", in.dtype()), where.num_elements(),
                                   in.raw(), where.raw(), shape));
    if constexpr (kGradGrad) {
      const int64_t image = p.in_pixels() * p.channels, out_image = p.out_pixels() * p.channels;
      return enqueue(context, with_suffix("max_pool_take", in.dtype()), out->num_elements(), where.raw(),
                     grad.raw(), out->raw(), p.images, image, out_image, false);
    }
    return enqueue(context, with_suffix("max_pool_grad", in.dtype()), out->num_elements(), where.raw(),
                   grad.raw(), out->raw(), shape);
  }

 private:
  PoolAttrs attrs_;
};

}  // namespace

void register_cuda_pool_max(KernelRegistry* r) {
  for (DataType t : {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16}) {
    auto gpu = [t](const char* op) { return KernelDef(op).device("GPU").types("T", {t}); };
    auto told = [&](const char* op) { return gpu(op).host_memory({"ksize", "strides"}); };
    r->add(gpu("MaxPool").kernel<MaxPoolKernel<2, false>>());
    r->add(told("MaxPoolV2").kernel<MaxPoolKernel<2, true>>());
    r->add(gpu("MaxPoolGrad").kernel<MaxPoolGradKernel<2, false, false>>());
    r->add(told("MaxPoolGradV2").kernel<MaxPoolGradKernel<2, true, false>>());
    r->add(gpu("MaxPoolGradGrad").kernel<MaxPoolGradKernel<2, false, true>>());
    r->add(told("MaxPoolGradGradV2").kernel<MaxPoolGradKernel<2, true, true>>());
    // The op's dtypes are fewer.
    if (t == DataType::kDouble) continue;
    r->add(gpu("MaxPool3D").kernel<MaxPoolKernel<3, false>>());
    r->add(gpu("MaxPool3DGrad").types("TInput", {t}).kernel<MaxPoolGradKernel<3, false, false>>());
    r->add(gpu("MaxPool3DGradGrad").kernel<MaxPoolGradKernel<3, false, true>>());
  }
}

}  // namespace troupe
