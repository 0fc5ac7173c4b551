#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace troupe {

/// The Castagnoli checksum (RFC 3720, appendix B.4) of what `crc` is of, followed by `bytes`. Begin with 0.
uint32_t crc32c_extend(uint32_t crc, absl::string_view bytes);

inline uint32_t crc32c(absl::string_view bytes) { return crc32c_extend(0, bytes); }

/// Files hold checksums masked, so that the checksum of bytes that contain checksums stays a good one.
inline constexpr uint32_t kCrcMaskDelta = 0xa282ead8u;
constexpr uint32_t crc32c_mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kCrcMaskDelta; }
constexpr uint32_t crc32c_unmask(uint32_t masked) {
  const uint32_t rotated = masked - kCrcMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace troupe
