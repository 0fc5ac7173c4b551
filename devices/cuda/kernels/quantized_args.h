#pragma once

#include <cstdint>

// Arguments of the kernels in source/quantized.cu, passed by value.

namespace troupe {

/// The ranges of fake quantisation: one, [low, high], or where `lows` is not null one a channel, of the last dimension.
struct FakeQuantArgs {
  const float* lows;
  const float* highs;
  float low, high;
  int64_t channels;
  /// The least and the greatest step.
  float quant_min, quant_max;
};

/// QuantizeAndDequantize: a range for each of `channels`, of which each has `inner` neighbouring elements at a time.
struct RoundTripArgs {
  int64_t channels, inner;
  int64_t quant_min, quant_max;
  /// Whether values are clamped to the range: not to one that was measured.
  bool clamps;
  bool half_up;
};

}  // namespace troupe
