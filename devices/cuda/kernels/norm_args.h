#pragma once

#include <cstdint>

namespace troupe {

/// What kernels of batch normalisation know of its channels. For host and device.
struct BatchNormArgs {
  int64_t channels = 0;
  /// Numbers of a channel.
  int64_t count = 0;
  float epsilon = 0;
  /// How much the running statistics take from this batch.
  float average_factor = 1;
  /// What makes the variance one without bias.
  float bessel = 1;
  int32_t training = 0;
};

/// Local response normalisation over `depth` channels, with the attrs of the op.
struct LrnArgs {
  int64_t depth = 0;
  int64_t radius = 0;
  float bias = 0, alpha = 0, beta = 0;
};

}  // namespace troupe
