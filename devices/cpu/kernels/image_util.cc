#include <Eigen/Core>

#include "devices/cpu/kernels/image.h"
#include "devices/cpu/kernels/register_kernels.h"

namespace troupe {
const std::vector<DataType>& image_dtypes() {
  using D = DataType;
  static const auto* types =
      new std::vector<D>{D::kFloat, D::kDouble, D::kHalf,  D::kBfloat16, D::kInt8,   D::kInt16,
                         D::kInt32, D::kInt64,  D::kUint8, D::kUint16,   D::kUint32, D::kUint64};
  return *types;
}

void register_image_kernels(KernelRegistry* r) {
  register_resize_kernels(r);
  register_crop_kernels(r);
  register_non_max_suppression_kernels(r);
  register_color_kernels(r);
  register_image_transform_kernels(r);
}

}  // namespace troupe
