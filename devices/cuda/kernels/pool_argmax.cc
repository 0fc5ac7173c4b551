// Pooling that tells, or is told, where the maxima are. Indices come from the program: those that lie outside are passed over, as no
// kernel of a GPU can end with an error.
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/pool_parts.h"

namespace troupe {
namespace {

/// What the three ops have in common.
struct ArgmaxAttrs {
  PoolAttrs pool;
  bool include_batch = false;

  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(pool, PoolAttrs::make(c, 2, true));
    TROUPE_ASSIGN_OR_RETURN(include_batch, c.attr<bool>("include_batch_in_index"));
    return absl::OkStatus();
  }
};

class MaxPoolWithArgmaxKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) { return attrs_.init(c); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(const PoolProblem p, attrs_.pool.problem(in.shape(), "tensor_in", false));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, p.out));
    TROUPE_ASSIGN_OR_RETURN(Tensor * argmax, context.allocate_output(1, p.out));
    return enqueue(context, with_suffix("max_pool_with_argmax", in.dtype()), out->num_elements(), in.raw(),
                   out->raw(), argmax->raw(), attrs_.include_batch, pool_shape(p));
  }

 private:
  ArgmaxAttrs attrs_;
};

/// Adds each gradient to the input that argmax names.
absl::Status enqueue_scatter(KernelContext& context, const PoolProblem& p, bool include_batch,
                             const Tensor& grad, const Tensor& argmax, Tensor* out) {
  const DataType dtype = grad.dtype();
  const bool narrow = dtype == DataType::kHalf || dtype == DataType::kBfloat16;
  Tensor sums = *out;
  if (narrow) {
    // Numbers of 16 bits would round every partial sum.
    TROUPE_ASSIGN_OR_RETURN(sums, context.allocate_temp(DataType::kFloat, out->shape()));
  }
  TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, &sums));
  const int64_t image = p.in_pixels() * p.channels, out_image = p.out_pixels() * p.channels,
                count = out->num_elements();
  TROUPE_RETURN_IF_ERROR(enqueue(context, with_suffix("max_pool_scatter", dtype), grad.num_elements(),
                                 argmax.raw(), grad.raw(), sums.raw(), p.images, image, out_image,
                                 include_batch));
  return narrow ? enqueue(context, with_suffix("pool_narrow", dtype), count, sums.raw(), out->raw(), count)
                : absl::OkStatus();
}

/// MaxPoolGradWithArgmax (kGradGrad false: grad is like the output) and MaxPoolGradGradWithArgmax (grad is like the input).
template <bool kGradGrad>
class MaxPoolGradWithArgmaxKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) { return attrs_.init(c); }
  absl::Status compute(KernelContext& context) override {
    const Tensor &in = context.input(0), &grad = context.input(1), &argmax = context.input(2);
    TROUPE_ASSIGN_OR_RETURN(const PoolProblem p, attrs_.pool.problem(in.shape(), "tensor_in", false));
    TROUPE_RETURN_IF_ERROR(check_shape("grad", kGradGrad ? in.shape() : p.out, grad.shape()));
    TROUPE_RETURN_IF_ERROR(check_shape("argmax", p.out, argmax.shape()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, kGradGrad ? p.out : in.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    if constexpr (!kGradGrad) return enqueue_scatter(context, p, attrs_.include_batch, grad, argmax, out);
    return enqueue(context, with_suffix("max_pool_take", grad.dtype()), out->num_elements(), argmax.raw(),
                   grad.raw(), out->raw(), p.images, p.in_pixels() * p.channels, p.out_pixels() * p.channels,
                   attrs_.include_batch);
  }

 private:
  ArgmaxAttrs attrs_;
};

}  // namespace

void register_cuda_pool_argmax(KernelRegistry* r) {
  for (DataType t : {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16}) {
    auto gpu = [t](const char* op) {
      return KernelDef(op).device("GPU").types("T", {t}).types("Targmax", {DataType::kInt64});
    };
    r->add(gpu("MaxPoolWithArgmax").kernel<MaxPoolWithArgmaxKernel>());
    r->add(gpu("MaxPoolGradWithArgmax").kernel<MaxPoolGradWithArgmaxKernel<false>>());
    r->add(gpu("MaxPoolGradGradWithArgmax").kernel<MaxPoolGradWithArgmaxKernel<true>>());
  }
}

}  // namespace troupe
