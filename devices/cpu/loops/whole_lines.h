#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace troupe {

/// Memory that is written in registers of 16 bytes is read first, a line of the cache at a time; where whole lines are written at once it is not. The
/// build's own code is for the former, the C library's memcpy does the latter where the processor can: what writes much goes by way of a block that stays in
/// the first cache.
inline constexpr int64_t kLineBlockBytes = 4096;
/// Shorter runs are as well written directly.
inline constexpr int64_t kWholeLinesFrom = 1024;

template <class T>
constexpr bool kByBlocks = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

/// Writes `count` copies of a value.
template <class T>
void fill_run(T* to, int64_t count, const T& value) {
  if constexpr (kByBlocks<T>) {
    constexpr int64_t kBlock = kLineBlockBytes / sizeof(T);
    if (count * static_cast<int64_t>(sizeof(T)) >= kWholeLinesFrom) {
      T block[kBlock];
      std::fill_n(block, std::min(kBlock, count), value);
      for (int64_t at = 0; at < count; at += kBlock)
        std::memcpy(to + at, block, static_cast<size_t>(std::min(kBlock, count - at)) * sizeof(T));
      return;
    }
  }
  std::fill_n(to, count, value);
}

/// Writes `count` elements, of which `write(block, begin, n)` makes elements [begin, begin + n) in `block`.
template <class T, class Fn>
void write_run(T* to, int64_t count, Fn write) {
  if constexpr (kByBlocks<T>) {
    constexpr int64_t kBlock = kLineBlockBytes / sizeof(T);
    if (count * static_cast<int64_t>(sizeof(T)) >= kWholeLinesFrom) {
      T block[kBlock];
      for (int64_t at = 0; at < count; at += kBlock) {
        const int64_t n = std::min(kBlock, count - at);
        write(block, at, n);
        std::memcpy(to + at, block, static_cast<size_t>(n) * sizeof(T));
      }
      return;
    }
  }
  write(to, 0, count);
}

}  // namespace troupe
