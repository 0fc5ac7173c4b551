#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace troupe {

struct JpegEncodeOptions {
  int quality = 95;
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  /// Pixels a centimetre rather than an inch.
  bool per_centimetre = false;
  int x_density = 300;
  int y_density = 300;
  /// Kept in the file when not empty.
  std::string xmp_metadata;
};

/// `channels` is 1 (gray) or 3 (RGB). Internal "JPEG encoding failed" for empty pictures and sides over 65500.
absl::StatusOr<std::string> encode_jpeg(const uint8_t* pixels, int64_t width, int64_t height, int channels,
                                        const JpegEncodeOptions& options);

}  // namespace troupe
