#pragma once

#include <cstdint>

namespace troupe {

/// Joins two fingerprints in order, as the buckets of TensorFlow's crosses are defined.
inline uint64_t join_fingerprints(uint64_t a, uint64_t b) {
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995ULL;
  auto mix = [](uint64_t v) { return v ^ (v >> 47); };
  uint64_t r = (a ^ kMul) ^ (mix(b * kMul) * kMul);
  r *= kMul;
  return mix(mix(r) * kMul);
}

}  // namespace troupe
