// CropAndResize and its gradients. The index of a box is on the GPU: one of a picture that there is not, an error on the CPU, gives the
// extrapolation value and no gradient.
#include <string>

#include "absl/strings/str_cat.h"
#include "devices/common/array_values.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/image_args.h"
#include "devices/cuda/kernels/image_parts.h"

namespace troupe {
namespace {

/// How many boxes there are.
absl::StatusOr<int64_t> count_boxes(const Tensor& boxes, const Tensor& index) {
  if (boxes.num_elements() == 0 && index.num_elements() == 0) return 0;
  if (boxes.rank() != 2) return invalid("boxes must be 2-D", boxes.shape().to_string());
  if (boxes.dim(1) != 4) return invalid("boxes must have 4 columns");
  if (index.rank() != 1) return invalid("box_index must be 1-D", index.shape().to_string());
  if (index.dim(0) != boxes.dim(0)) return invalid("box_index has incompatible shape");
  return boxes.dim(0);
}

class CropKernel : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string method, c.attr<std::string>("method"));
    if (method != "bilinear" && method != "nearest")
      return invalid("method must be 'bilinear' or 'nearest'", method);
    args_.nearest = method == "nearest";
    args_.outside = c.node().attrs.get_or<float>("extrapolation_value", 0.0F);
    return absl::OkStatus();
  }

 protected:
  /// Crops like `crop` out of pictures like `image`: [batch, rows, cols, channels] both.
  CropArgs args(const Shape& image, int64_t rows, int64_t cols) const {
    CropArgs a = args_;
    a.batch = image.dim(0);
    a.in_rows = image.dim(1);
    a.in_cols = image.dim(2);
    a.rows = rows;
    a.cols = cols;
    a.channels = image.dim(3);
    return a;
  }

  CropArgs args_ = {};
};

class CropAndResize final : public CropKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor &image = context.input(0), &boxes = context.input(1), &index = context.input(2),
                 &size = context.input(3);
    if (image.rank() != 4) return invalid("input image must be 4-D", image.shape().to_string());
    if (image.dim(1) <= 0 || image.dim(2) <= 0) return invalid("image dimensions must be positive");
    if (size.rank() != 1) return invalid("crop_size must be 1-D", size.shape().to_string());
    if (size.dim(0) != 2) return invalid("crop_size must have two elements", size.shape().to_string());
    const int64_t rows = int_at(size, 0), cols = int_at(size, 1);
    if (rows <= 0 || cols <= 0) return invalid("crop dimensions must be positive");
    TROUPE_ASSIGN_OR_RETURN(const int64_t count, count_boxes(boxes, index));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{count, rows, cols, image.dim(3)}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    const int64_t n = out->num_elements();
    return enqueue(context, with_suffix("crop_and_resize", image.dtype()), n, args(image.shape(), rows, cols),
                   image.raw(), boxes.raw(), index.raw(), out->raw(), n);
  }
};

class CropAndResizeGradImage final : public CropKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor &grads = context.input(0), &boxes = context.input(1), &index = context.input(2),
                 &size = context.input(3);
    if (grads.rank() != 4) return invalid("grads image must be 4-D", grads.shape().to_string());
    if (grads.dim(1) <= 0 || grads.dim(2) <= 0) return invalid("grads dimensions must be positive");
    if (size.rank() != 1 || size.dim(0) != 4) {
      return invalid("image_size must be 1-D with 4 elements", size.shape().to_string());
    }
    const Indices wanted = ints_of(size);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({wanted.data(), wanted.size()}));
    if (wanted[1] <= 0 || wanted[2] <= 0) return invalid("image dimensions must be positive");
    if (wanted[3] != grads.dim(3)) return invalid("image_size and grads are incompatible");
    TROUPE_ASSIGN_OR_RETURN(const int64_t count, count_boxes(boxes, index));
    if (grads.dim(0) != count) return invalid("boxes and grads have incompatible shape");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    // Summed up as floats.
    Tensor sums = *out;
    if (out->dtype() != DataType::kFloat) {
      TROUPE_ASSIGN_OR_RETURN(sums, context.allocate_temp(DataType::kFloat, shape));
    }
    TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, &sums));
    TROUPE_RETURN_IF_ERROR(enqueue(context, "crop_grad_image_f32", grads.num_elements(),
                                   args(shape, grads.dim(1), grads.dim(2)), grads.raw(), boxes.raw(),
                                   index.raw(), sums.raw(), grads.num_elements()));
    if (sums.shares_buffer_with(*out)) return absl::OkStatus();
    const int64_t n = out->num_elements();
    return enqueue(context, with_suffix("narrow_sums", out->dtype()), n, sums.raw(), out->raw(), n);
  }
};

class CropAndResizeGradBoxes final : public CropKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor &grads = context.input(0), &image = context.input(1), &boxes = context.input(2),
                 &index = context.input(3);
    if (grads.rank() != 4 || image.rank() != 4) {
      return invalid("grads and image must be 4-D: ", grads.shape().to_string(), " and ",
                     image.shape().to_string());
    }
    if (image.dim(1) <= 0 || image.dim(2) <= 0) return invalid("image dimensions must be positive");
    if (image.dim(3) != grads.dim(3)) return invalid("image, grads depth differ");
    TROUPE_ASSIGN_OR_RETURN(const int64_t count, count_boxes(boxes, index));
    if (grads.dim(0) != count) return invalid("boxes and grads have incompatible shape");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{count, 4}));
    return enqueue_blocks(context, with_suffix("crop_grad_boxes", image.dtype()), count,
                          args(image.shape(), grads.dim(1), grads.dim(2)), grads.raw(), image.raw(),
                          boxes.raw(), index.raw(), out->raw(), count);
  }
};

}  // namespace

void register_cuda_image_crop(KernelRegistry* registry) {
  const std::vector<DataType> types = {DataType::kFloat, DataType::kDouble, DataType::kHalf};
  auto def = [&types](const char* op) { return KernelDef(op).device("GPU").types("T", types); };
  registry->add(def("CropAndResize").host_memory({"crop_size"}).kernel<CropAndResize>());
  registry->add(def("CropAndResizeGradImage").host_memory({"image_size"}).kernel<CropAndResizeGradImage>());
  registry->add(def("CropAndResizeGradBoxes").kernel<CropAndResizeGradBoxes>());
}

}  // namespace troupe
