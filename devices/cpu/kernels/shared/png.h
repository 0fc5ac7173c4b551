#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troupe {

/// Largest picture that is decoded, in bytes of 8-bit samples: a few hundred bytes of a file can claim any size.
inline constexpr int64_t kMaxImageBytes = int64_t{1} << 29;

/// A decoded PNG; samples of 16 bits are in the byte order of the machine.
struct PngImage {
  int64_t height = 0;
  int64_t width = 0;
  int channels = 0;
  int bits = 8;
  std::vector<uint8_t> bytes;
};

/// `channels` 0 takes what the file has, 1 is gray, 2 gray and alpha, 3 RGB, 4 RGBA; `bits` is 8 or 16 and what the
/// file has is converted to it. InvalidArgument when the bytes are no PNG or it is too large.
absl::StatusOr<PngImage> decode_png(absl::string_view bytes, int channels, int bits);

/// A PNG of `height` rows of `width` pixels of 1 to 4 channels of 8 or 16 bits (in the machine's byte order), row-major.
/// `compression` is zlib's level, or -1 for its default. Internal "PNG encoding failed" when libpng refuses: an empty
/// picture, memory.
absl::StatusOr<std::string> encode_png(const void* pixels, int64_t width, int64_t height, int channels,
                                       int bits, int compression = -1);

}  // namespace troupe
