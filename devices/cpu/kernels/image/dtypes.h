#pragma once

#include <cstdint>
#include <vector>

#include "devices/kernel_registry.h"

namespace troupe {

/// The real dtypes that image ops read.
const std::vector<DataType>& image_dtypes();

}  // namespace troupe
