#include <Eigen/Core>

#include "devices/cpu/kernels/image/dtypes.h"

#include "devices/kernel_registry.h"

namespace troupe {
const std::vector<DataType>& image_dtypes() {
  using D = DataType;
  static const auto* types =
      new std::vector<D>{D::kFloat, D::kDouble, D::kHalf,  D::kBfloat16, D::kInt8,   D::kInt16,
                         D::kInt32, D::kInt64,  D::kUint8, D::kUint16,   D::kUint32, D::kUint64};
  return *types;
}

}  // namespace troupe
