#include "devices/common/array/block_kernels.h"

namespace troupe {

absl::Status move_depth_blocks(KernelContext& context, const DepthBlockAttrs& attrs, bool to_depth,
                               BoxCopy copy) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(const Shape shape, attrs.shape(input.shape(), to_depth));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  const Shape& wide = to_depth ? input.shape() : shape;
  const Shape& deep = to_depth ? shape : input.shape();
  BoxAxes axes;
  for (const DepthBlockAxis& a : attrs.axes(wide, deep, to_depth))
    axes.push_back({a.size, to_depth ? a.wide : a.deep, to_depth ? a.deep : a.wide});
  return copy(context, input, 0, axes, out);
}

}  // namespace troupe
