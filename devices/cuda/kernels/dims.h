#pragma once

#include <cstdint>

namespace troupe {

/// Up to kMax sizes, strides or positions, as a kernel's argument: passed by value. For host and device.
template <int kMax = 8>
struct Dims {
  int32_t rank = 0;
  int64_t sizes[kMax] = {};
};

}  // namespace troupe
