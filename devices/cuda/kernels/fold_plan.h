#pragma once

#include <cstdint>

namespace troupe {

/// Elements in the order of nested loops: dimension d has sizes[d] elements, strides[d] apart. For host and device.
struct FoldWalk {
  static constexpr int kMaxRank = 8;
  int32_t rank = 0;
  int64_t sizes[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
};

/// How kernels fold a tensor, as their argument. Output i is folded of the `count` elements that `reduced` visits from where `kept` has
/// its i-th; cut into `chunks` pieces of `chunk` elements (the last may have fewer), whose results, [chunks, outputs], are folded in a
/// second pass. The order of all depends on sizes only.
struct FoldPlan {
  FoldWalk kept;
  FoldWalk reduced;
  int64_t outputs = 1;
  int64_t count = 1;
  int64_t chunk = 1;
  int64_t chunks = 1;
};

/// What becomes of a sum.
enum class FoldFinish : int32_t {
  kNone,
  /// Divided by the count.
  kMean,
  kRoot,
  kHalf,
};

}  // namespace troupe
