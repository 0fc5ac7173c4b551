#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// The sources' registrations.
void register_cuda_image_resize(KernelRegistry* registry);
void register_cuda_image_color(KernelRegistry* registry);
void register_cuda_image_crop(KernelRegistry* registry);

}  // namespace troupe
