#pragma once

#include <vector>

#include "devices/common/array_values.h"

namespace troupe {

/// What tensor lists hold.
inline std::vector<DataType> list_element_types() {
  return with(value_types(), {DataType::kVariant, DataType::kResource, DataType::kQint8, DataType::kQuint8,
                              DataType::kQint16, DataType::kQuint16, DataType::kQint32});
}

}  // namespace troupe
