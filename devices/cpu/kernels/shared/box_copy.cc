#include "devices/cpu/kernels/shared/box_copy.h"

#include "devices/cpu/loops/copy.h"

namespace troupe {

absl::Status copy_axes(KernelContext& context, const Tensor& from, int64_t start,
                       std::span<const BoxAxis> axes, Tensor* to) {
  Box box;
  for (const BoxAxis& a : axes) box.add(a.size, a.from, a.to);
  if (box.elements() > 0) copy_box(context.parallel(), from.dtype(), box, element_at(from, start), to->raw());
  return absl::OkStatus();
}

}  // namespace troupe
