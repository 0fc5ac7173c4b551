#include "devices/common/array/reorder_kernels.h"

#include "devices/common/array/reorder.h"
#include "devices/common/array_values.h"

namespace troupe {
namespace {

absl::Status reverse_axes(KernelContext& context, const ReversedAxes& reversed, BoxCopy copy) {
  const Tensor& input = context.input(0);
  bool any = false;
  for (int i = 0; i < input.rank(); ++i) any |= reversed[i] && input.dim(i) > 1;
  if (!any || input.num_elements() == 0) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  const Indices strides = strides_of(input.shape());
  BoxAxes axes;
  int64_t start = 0;
  for (int i = 0; i < input.rank(); ++i) {
    if (reversed[i]) start += (input.dim(i) - 1) * strides[i];
    axes.push_back({input.dim(i), reversed[i] ? -strides[i] : strides[i], strides[i]});
  }
  return copy(context, input, start, axes, out);
}

}  // namespace

absl::Status tile(KernelContext& context, BoxCopy copy) {
  TROUPE_ASSIGN_OR_RETURN(const Tiled tiled, tile_of(context));
  const Tensor& input = context.input(0);
  if (tiled.shape == input.shape() && input.num_elements() > 0) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, tiled.shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  const Indices from = strides_of(input.shape()), to = strides_of(tiled.shape);
  BoxAxes axes;
  for (int i = 0; i < input.rank(); ++i) {
    axes.push_back({tiled.multiples[i], 0, input.dim(i) * to[i]});
    axes.push_back({input.dim(i), from[i], to[i]});
  }
  return copy(context, input, 0, axes, out);
}

absl::Status reverse(KernelContext& context, BoxCopy copy) {
  TROUPE_ASSIGN_OR_RETURN(const ReversedAxes reversed, reversed_axes(context));
  return reverse_axes(context, reversed, copy);
}

absl::Status reverse_v2(KernelContext& context, BoxCopy copy) {
  TROUPE_ASSIGN_OR_RETURN(const ReversedAxes reversed, reversed_axes_v2(context));
  return reverse_axes(context, reversed, copy);
}

}  // namespace troupe
