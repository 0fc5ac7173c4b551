#pragma once

#include <cstdint>
#include <vector>

#include "devices/kernel_registry.h"

namespace troupe {

/// Parts of register_image_kernels, each from a source of its own.
void register_resize_kernels(KernelRegistry* r);
void register_crop_kernels(KernelRegistry* r);
void register_non_max_suppression_kernels(KernelRegistry* r);
void register_color_kernels(KernelRegistry* r);
void register_image_transform_kernels(KernelRegistry* r);

/// The real dtypes that image ops read.
const std::vector<DataType>& image_dtypes();

}  // namespace troupe
