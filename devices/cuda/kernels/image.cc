#include "devices/cuda/kernels/image.h"

#include "devices/cuda/kernels/image_parts.h"

namespace troupe {

void register_cuda_image_kernels(KernelRegistry* registry) {
  register_cuda_image_resize(registry);
  register_cuda_image_color(registry);
  register_cuda_image_crop(registry);
}

}  // namespace troupe
