#pragma once

#include "devices/common/conv/window.h"
#include "devices/cpu/primitives/onednn.h"

namespace troupe {

/// Makes the plane of channels-last images, and of a filter over it, the last two of a problem's three spatial axes.
inline absl::Status set_plane(const WindowAttrs& attrs, const Tensor& input, const Tensor& filter,
                              ConvProblem* p) {
  p->spatial_rank = 3;
  for (int i = 0; i < 2; ++i) {
    TROUPE_ASSIGN_OR_RETURN(Window w, attrs.window(i, input.dim(i + 1), filter.dim(i)));
    const auto at = static_cast<size_t>(i + 1);
    p->in[at] = w.in;
    p->out[at] = w.out;
    p->kernel[at] = w.kernel;
    p->stride[at] = w.stride;
    p->dilation[at] = w.dilation;
    p->pad_before[at] = w.before;
  }
  return absl::OkStatus();
}

}  // namespace troupe
