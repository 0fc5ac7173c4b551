#include "devices/cuda/kernels/pool.h"

#include "absl/strings/str_cat.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/pool_parts.h"

namespace troupe {
namespace {

template <int kSpatial>
class AvgPoolKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, kSpatial, true));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(const PoolProblem p, attrs_.problem(in.shape(), "tensor_in", false));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, p.out));
    return enqueue(context, with_suffix("avg_pool", in.dtype()), out->num_elements(), in.raw(), out->raw(),
                   pool_shape(p));
  }

 private:
  PoolAttrs attrs_;
};

template <int kSpatial>
class AvgPoolGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, kSpatial, true));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &sizes_tensor = context.input(0), &grad = context.input(1);
    const int rank = attrs_.layout.rank();
    if (sizes_tensor.rank() != 1 || sizes_tensor.dim(0) != rank)
      return absl::InvalidArgumentError(
          absl::StrCat("orig_input_shape must be 1-dimensional and ", rank, " elements"));
    TROUPE_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, int_vector(sizes_tensor, "orig_input_shape"));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(sizes));
    if (grad.rank() != rank)
      return absl::InvalidArgumentError(absl::StrCat("out_backprop must be ", rank, "-dimensional"));
    TROUPE_ASSIGN_OR_RETURN(const PoolProblem p, attrs_.problem(shape, "orig_input", false));
    TROUPE_RETURN_IF_ERROR(check_shape("grad", p.out, grad.shape()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    return enqueue(context, with_suffix("avg_pool_grad", grad.dtype()), out->num_elements(), grad.raw(),
                   out->raw(), pool_shape(p));
  }

 private:
  PoolAttrs attrs_;
};

}  // namespace

PoolShape pool_shape(const PoolProblem& p) {
  PoolShape s;
  s.images = p.images;
  s.channels = p.channels;
  s.depth_window = p.depth_window;
  for (size_t i = 0; i < 3; ++i) {
    s.in[i] = p.w[i].in;
    s.out[i] = p.w[i].out;
    s.kernel[i] = p.w[i].kernel;
    s.stride[i] = p.w[i].stride;
    s.before[i] = p.w[i].before;
  }
  return s;
}

absl::Status check_shape(const char* what, const Shape& expected, const Shape& actual) {
  if (actual == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("Expected ", what, " shape to be ", expected.to_string(),
                                                 ", but got ", actual.to_string()));
}

void register_cuda_pool_kernels(KernelRegistry* registry) {
  for (DataType t : {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16}) {
    auto gpu = [t](const char* op) { return KernelDef(op).device("GPU").types("T", {t}); };
    registry->add(gpu("AvgPool").kernel<AvgPoolKernel<2>>());
    registry->add(gpu("AvgPoolGrad").host_memory({"orig_input_shape"}).kernel<AvgPoolGradKernel<2>>());
    registry->add(gpu("AvgPool3D").kernel<AvgPoolKernel<3>>());
    registry->add(gpu("AvgPool3DGrad").host_memory({"orig_input_shape"}).kernel<AvgPoolGradKernel<3>>());
  }
  register_cuda_pool_max(registry);
  register_cuda_pool_argmax(registry);
}

}  // namespace troupe
