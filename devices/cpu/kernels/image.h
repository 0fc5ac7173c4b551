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

/// The elements of a real tensor as floats: its own memory when it is a float tensor, else `store`.
const float* as_floats(const Tensor& t, std::vector<float>* store);

/// Writes floats as elements of `t`'s dtype (float, double, half or bfloat16).
void store_floats(const std::vector<float>& from, Tensor* t);
void store_floats(const std::vector<double>& from, Tensor* t);

}  // namespace troupe
