// Pictures resized, bilinear or by nearest neighbours, and the gradients of that.
#include "absl/strings/str_cat.h"
#include "devices/common/image/resize.h"
#include "devices/cuda/kernels/array_parts.h"
#include "devices/cuda/kernels/image_args.h"
#include "devices/cuda/kernels/image_parts.h"

namespace troupe {
namespace {

class ResizeKernel : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }

 protected:
  ResizeArgs args(int64_t in_rows, int64_t in_cols, int64_t rows, int64_t cols, int64_t channels) const {
    return {in_rows,
            in_cols,
            rows,
            cols,
            channels,
            attrs_.scale(in_rows, rows),
            attrs_.scale(in_cols, cols),
            attrs_.align_corners,
            attrs_.half_pixel_centers};
  }

  ResizeAttrs attrs_;
};

class ResizeBilinear final : public ResizeKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor& image = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check_sizes(image, context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    const int64_t n = out->num_elements();
    return enqueue(context, with_suffix("resize_bilinear", image.dtype()), n,
                   args(s.in_rows, s.in_cols, s.rows, s.cols, s.channels), image.raw(), out->raw(), n);
  }
};

class ResizeNearest final : public ResizeKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor& image = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check_sizes(image, context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    if (out->num_elements() == 0) return absl::OkStatus();
    const WideRuns pixel = widest_runs(image.dtype(), s.channels, {image.raw(), out->raw()});
    const int64_t n = s.batch * s.rows * s.cols * pixel.run;
    return enqueue(context, by_size("resize_nearest", pixel.element), n,
                   args(s.in_rows, s.in_cols, s.rows, s.cols, pixel.run), image.raw(), out->raw(), n);
  }
};

class ResizeNearestGrad final : public ResizeKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor& grad = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check_sizes(grad, context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    const int64_t n = out->num_elements();
    return enqueue(context, with_suffix("resize_nearest_grad", grad.dtype()), n,
                   args(s.rows, s.cols, s.in_rows, s.in_cols, s.channels), grad.raw(), out->raw(), n);
  }
};

class ResizeBilinearGrad final : public ResizeKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor &grad = context.input(0), &image = context.input(1);
    if (grad.rank() != 4) return invalid("input_grad must be 4-dimensional", grad.shape().to_string());
    if (image.rank() != 4) return invalid("original_image must be 4-dimensional", image.shape().to_string());
    if (grad.dim(0) != image.dim(0) || grad.dim(3) != image.dim(3)) {
      return invalid("input_grad and original_image must agree in batch and channels: ",
                     grad.shape().to_string(), " vs. ", image.shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, image.shape()));
    if (grad.num_elements() == 0) return enqueue_zeros(context, out);
    const int64_t n = out->num_elements();
    return enqueue(context, with_suffix("resize_bilinear_grad", out->dtype()), n,
                   args(image.dim(1), image.dim(2), grad.dim(1), grad.dim(2), grad.dim(3)), grad.raw(),
                   out->raw(), n);
  }
};

}  // namespace

void register_cuda_image_resize(KernelRegistry* registry) {
  auto def = [](const char* op, std::vector<DataType> types) {
    return KernelDef(op).device("GPU").types("T", std::move(types));
  };
  const std::vector<DataType> copied = {DataType::kFloat,    DataType::kDouble, DataType::kHalf,
                                        DataType::kBfloat16, DataType::kInt8,   DataType::kUint8,
                                        DataType::kInt16,    DataType::kUint16, DataType::kInt64};
  registry->add(def("ResizeBilinear", float_types()).host_memory({"size"}).kernel<ResizeBilinear>());
  registry->add(def("ResizeBilinearGrad", float_types()).kernel<ResizeBilinearGrad>());
  registry->add(def("ResizeNearestNeighbor", copied).host_memory({"size"}).kernel<ResizeNearest>());
  registry->add(
      def("ResizeNearestNeighborGrad", float_types()).host_memory({"size"}).kernel<ResizeNearestGrad>());
}

}  // namespace troupe
