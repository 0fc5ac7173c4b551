#pragma once

#include <cstdint>

namespace troupe {

/// How elements of an output find those of `kOperands` operands that broadcast to it: the dimensions left after neighbours along
/// which all operands repeat, or do not, alike have been merged; outermost first. An argument of kernels; for host and device.
template <int kOperands>
struct BroadcastPlan {
  static constexpr int kMaxRank = 8;

  /// At least 1.
  int32_t rank = 1;
  int64_t sizes[kMaxRank] = {};
  /// In elements; 0 where an operand repeats.
  int64_t strides[kOperands][kMaxRank] = {};
};

}  // namespace troupe
