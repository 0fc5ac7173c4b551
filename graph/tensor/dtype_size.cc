// The one part of dtype.h that has to see all element types.

#include <Eigen/Core>

#include "graph/tensor/dtype.h"
#include "graph/tensor/resource_handle.h"
#include "graph/tensor/tstring.h"
#include "graph/tensor/variant.h"

namespace troupe {

size_t dtype_size(DataType t) {
  switch (base_type(t)) {
    case DataType::kInvalid:
      return 0;
// clang-format off
#define TROUPE_DTYPE(number, enumerator, type, text) \
  case DataType::enumerator: return sizeof(type);
#include "graph/tensor/dtypes.def"
      // clang-format on
  }
  return 0;
}

}  // namespace troupe
