// Colours: HSV, hue, saturation, contrast.
#include "absl/strings/str_cat.h"
#include "devices/common/array_values.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/image_parts.h"

namespace troupe {
namespace {

absl::Status convert_space(KernelContext& context, const char* kernel) {
  const Tensor& in = context.input(0);
  if (in.rank() < 1) return invalid("input must be at least 1D", in.shape().to_string());
  const int64_t channels = in.dim(in.rank() - 1);
  if (channels != 3) {
    return absl::FailedPreconditionError(
        absl::StrCat("input must have 3 channels but input only has ", channels, " channels."));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
  const int64_t pixels = in.num_elements() / 3;
  return enqueue(context, with_suffix(kernel, in.dtype()), pixels, in.raw(), out->raw(), pixels);
}
absl::Status rgb_to_hsv(KernelContext& context) { return convert_space(context, "rgb_to_hsv"); }
absl::Status hsv_to_rgb(KernelContext& context) { return convert_space(context, "hsv_to_rgb"); }

absl::Status check_adjustment(const KernelContext& context, const char* name, bool needs_rgb) {
  const Tensor &in = context.input(0), &amount = context.input(1);
  if (in.rank() < 3) return invalid("input must be at least 3-D, got shape", in.shape().to_string());
  if (amount.rank() != 0) return invalid(name, " must be scalar: ", amount.shape().to_string());
  if (needs_rgb && in.dim(in.rank() - 1) != 3) {
    return invalid("input must have 3 channels but instead has ", in.dim(in.rank() - 1), " channels.");
  }
  return absl::OkStatus();
}

absl::Status adjust_pixels(KernelContext& context, const char* kernel, const char* amount) {
  TROUPE_RETURN_IF_ERROR(check_adjustment(context, amount, true));
  const Tensor& in = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
  const int64_t pixels = in.num_elements() / 3;
  return enqueue(context, with_suffix(kernel, in.dtype()), pixels, in.raw(), context.input(1).raw(),
                 out->raw(), pixels);
}
absl::Status adjust_hue(KernelContext& context) { return adjust_pixels(context, "adjust_hue", "delta"); }
absl::Status adjust_saturation(KernelContext& context) {
  return adjust_pixels(context, "adjust_saturation", "scale");
}

/// Spreads the values of each channel of each picture about their mean.
absl::Status adjust_contrast(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_adjustment(context, "contrast_factor", false));
  const Tensor& in = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
  const int64_t n = in.num_elements();
  if (n == 0) return absl::OkStatus();
  const int rank = in.rank();
  const int64_t channels = in.dim(rank - 1), area = in.dim(rank - 3) * in.dim(rank - 2), total = n / area;
  TROUPE_ASSIGN_OR_RETURN(Tensor means, context.allocate_temp(DataType::kFloat, Shape{total}));
  TROUPE_RETURN_IF_ERROR(enqueue_blocks(context, with_suffix("channel_means", in.dtype()), total, in.raw(),
                                        means.raw(), area, channels, total));
  return enqueue(context, with_suffix("adjust_contrast", in.dtype()), n, in.raw(), means.raw(),
                 context.input(1).raw(), out->raw(), area, channels, n);
}

}  // namespace

void register_cuda_image_color(KernelRegistry* registry) {
  const std::vector<DataType> adjusted = {DataType::kFloat, DataType::kHalf};
  auto add = [registry](const char* op, const std::vector<DataType>& types, KernelFn fn) {
    registry->add(KernelDef(op).device("GPU").types("T", types).fn(fn));
  };
  add("RGBToHSV", float_types(), rgb_to_hsv);
  add("HSVToRGB", float_types(), hsv_to_rgb);
  add("AdjustHue", adjusted, adjust_hue);
  add("AdjustSaturation", adjusted, adjust_saturation);
  add("AdjustContrastv2", adjusted, adjust_contrast);
}

}  // namespace troupe
