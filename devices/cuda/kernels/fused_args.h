#pragma once

#include <cstdint>

namespace troupe {

/// How the kernel `fused_steps` goes over the result of a product or a convolution.
struct FusedArgs {
  int64_t count = 0;
  int64_t channels = 1;
  /// Elements between two channels: 1 for channels last.
  int64_t channel_stride = 1;
  /// A FusedSteps::Activation.
  int32_t activation = 0;
  float epsilon = 0;
  float alpha = 0;
};

}  // namespace troupe
