#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace troupe {

/// FNV-1a, begun with `seed`: the same in every process and on every machine, unlike absl::Hash. For numbers that processes agree on; not for
/// tables that strangers fill.
inline constexpr uint64_t kStableHashSeed = 0xcbf29ce484222325u;
constexpr uint64_t stable_hash(absl::string_view bytes, uint64_t seed = kStableHashSeed) {
  for (const char c : bytes) seed = (seed ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return seed;
}
/// Of a number, byte by byte.
constexpr uint64_t stable_hash(uint64_t number, uint64_t seed = kStableHashSeed) {
  for (int shift = 0; shift < 64; shift += 8) seed = (seed ^ (number >> shift & 0xff)) * 0x100000001b3u;
  return seed;
}

}  // namespace troupe
