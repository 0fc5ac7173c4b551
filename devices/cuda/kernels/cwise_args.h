#pragma once

#include <cstdint>

namespace troupe {

/// Inputs of one launch that adds them up. More are added by further ones.
inline constexpr int kMostSummands = 64;
struct Summands {
  int32_t count = 0;
  const void* data[kMostSummands] = {};
};

}  // namespace troupe
