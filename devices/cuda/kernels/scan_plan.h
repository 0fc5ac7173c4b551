#pragma once

#include <cstdint>

namespace troupe {

/// Cumulative results along the middle axis of [.., length, inner], as kernels' argument. Each of the `lines` is cut into `chunks` pieces
/// of `chunk` elements (the last may have fewer). For host and device.
struct ScanPlan {
  int64_t lines = 0;
  int64_t length = 0;
  int64_t inner = 1;
  int64_t chunk = 1;
  int64_t chunks = 1;
  /// Of the elements before, without the element itself.
  int32_t exclusive = 0;
  /// From the end.
  int32_t reverse = 0;
};

}  // namespace troupe
