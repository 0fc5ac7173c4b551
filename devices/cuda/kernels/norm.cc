// Biases, LRN and L2Loss.
#include "devices/cuda/kernels/norm.h"

#include <limits>

#include "devices/common/array_values.h"
#include "devices/common/norm/images.h"
#include "devices/cuda/kernels/enqueue_fold.h"
#include "devices/cuda/kernels/norm_args.h"
#include "devices/cuda/kernels/norm_parts.h"

namespace troupe {
namespace {

absl::StatusOr<Images> split_channels(const Shape& shape, bool channels_last) {
  if (shape.rank() < 2) return invalid("Input tensor must be at least 2D: ", shape.to_string());
  if (channels_last) return Images{shape.num_elements(0, shape.rank() - 1), shape.dim(shape.rank() - 1), 1};
  return Images{shape.dim(0), shape.dim(1), shape.num_elements(2, shape.rank())};
}

class BiasKernel : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ImageLayout layout,
                            parse_layout(c.node().attrs.get_or<std::string>("data_format", "NHWC"), 0));
    channels_last_ = layout.channels_last;
    return absl::OkStatus();
  }

 protected:
  bool channels_last_ = true;
};

class BiasAdd final : public BiasKernel {
 public:
  absl::Status compute(KernelContext& c) override {
    const Tensor& in = c.input(0);
    const Tensor& bias = c.input(1);
    TROUPE_ASSIGN_OR_RETURN(Images s, split_channels(in.shape(), channels_last_));
    if (bias.rank() != 1) return invalid("Biases must be 1D: ", bias.shape().to_string());
    if (bias.dim(0) != s.channels) {
      return invalid("Must provide as many biases as the last dimension of the input tensor: ",
                     bias.shape().to_string(), " vs. ", in.shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.forward_or_allocate_output({0}, 0, in.shape()));
    // Unsigned numbers wrap.
    const DataType as = in.dtype() == DataType::kInt32 ? DataType::kUint32 : in.dtype();
    return enqueue(c, with_suffix("bias_add", as), in.num_elements(), in.raw(), bias.raw(), out->raw(),
                   in.num_elements(), s.channels, s.inner);
  }
};

class BiasAddGrad final : public BiasKernel {
 public:
  absl::Status compute(KernelContext& c) override {
    const Tensor& grad = c.input(0);
    TROUPE_ASSIGN_OR_RETURN(Images s, split_channels(grad.shape(), channels_last_));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, Shape{s.channels}));
    if (s.channels == 0) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(FoldPlan plan, plan_of_channels(s.outer, s.channels, s.inner));
    return enqueue_fold(c, "sum", grad.dtype(), grad.raw(), out->raw(), plan);
  }
};

absl::StatusOr<LrnArgs> lrn_args(const KernelConstruction& c) {
  LrnArgs a;
  TROUPE_ASSIGN_OR_RETURN(a.radius, c.attr<int64_t>("depth_radius"));
  if (a.radius < 0 || a.radius > std::numeric_limits<int32_t>::max()) {
    return invalid("depth_radius = ", a.radius, " larger than int max");
  }
  TROUPE_ASSIGN_OR_RETURN(a.bias, c.attr<float>("bias"));
  TROUPE_ASSIGN_OR_RETURN(a.alpha, c.attr<float>("alpha"));
  TROUPE_ASSIGN_OR_RETURN(a.beta, c.attr<float>("beta"));
  return a;
}

class Lrn final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, lrn_args(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& c) override {
    const Tensor& in = c.input(0);
    if (in.rank() != 4) return invalid("in must be 4-dimensional");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, in.shape()));
    LrnArgs args = attrs_;
    args.depth = in.dim(3);
    return enqueue(c, "lrn_f32", in.num_elements(), in.raw(), out->raw(), in.num_elements(), args);
  }

 private:
  LrnArgs attrs_;
};

class LrnGrad final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, lrn_args(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& c) override {
    const Tensor &grads = c.input(0), &in = c.input(1), &result = c.input(2);
    if (in.rank() != 4 || grads.rank() != 4) return invalid("inputs must be 4-dimensional");
    if (!(grads.shape() == in.shape()) || !(result.shape() == in.shape())) {
      return invalid("input_grads, input_image, and out_image should have the same shape");
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, in.shape()));
    const int64_t n = in.num_elements();
    if (n == 0) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(Tensor norms, c.allocate_temp(DataType::kFloat, in.shape()));
    LrnArgs args = attrs_;
    args.depth = in.dim(3);
    TROUPE_RETURN_IF_ERROR(enqueue(c, "lrn_norms_f32", n, in.raw(), norms.raw(), n, args));
    return enqueue(c, "lrn_grad_f32", n, grads.raw(), in.raw(), result.raw(), norms.raw(), out->raw(), n,
                   args);
  }

 private:
  LrnArgs attrs_;
};

/// Half the sum of squares.
absl::Status l2_loss(KernelContext& c) {
  const Tensor& in = c.input(0);
  FoldPlan plan;
  TROUPE_RETURN_IF_ERROR(add_dim(&plan.reduced, in.num_elements(), 1));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, Shape()));
  return enqueue_fold(c, "squares", in.dtype(), in.raw(), out->raw(), plan, FoldFinish::kHalf);
}

}  // namespace

void register_cuda_norm_kernels(KernelRegistry* r) {
  const std::vector<DataType> with_ints = with(float_types(), {DataType::kInt32});
  for (const char* op : {"BiasAdd", "BiasAddV1"}) {
    r->add(KernelDef(op).device("GPU").types("T", with_ints).kernel<BiasAdd>());
  }
  r->add(KernelDef("BiasAddGrad").device("GPU").types("T", float_types()).kernel<BiasAddGrad>());
  r->add(KernelDef("LRN").device("GPU").type<float>("T").kernel<Lrn>());
  r->add(KernelDef("LRNGrad").device("GPU").type<float>("T").kernel<LrnGrad>());
  r->add(KernelDef("L2Loss").device("GPU").types("T", float_types()).fn(l2_loss));
  register_cuda_batch_norm(r);
}

}  // namespace troupe
