#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "devices/cpu/kernels/shared/png.h"

namespace troupe {

/// A decoded picture or animation of 8-bit samples: frames x height x width x channels, row-major.
struct Image {
  int64_t frames = 1;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  std::vector<uint8_t> pixels;
};

struct JpegOptions {
  /// 0 takes what the file has, 1 gray, 3 colour.
  int channels = 0;
  /// 1, 2, 4 or 8: both sides are divided by it.
  int ratio = 1;
  bool fancy_upscaling = true;
  bool recover_truncated = false;
  /// What part of the rows must be there for a broken file to be taken; the rest is black.
  float acceptable_fraction = 1.0f;
  enum class Dct { kDefault, kFast, kAccurate } dct = Dct::kDefault;
};

/// InvalidArgument when the bytes are no such picture, or it is larger than kMaxImageBytes.
absl::StatusOr<Image> decode_jpeg(absl::string_view bytes, const JpegOptions& options);
/// Height, width and channels as decode_jpeg would give them by default; no pixels.
absl::StatusOr<Image> jpeg_shape(absl::string_view bytes);
/// Up to `max_frames` frames of RGB, all when it is 0.
absl::StatusOr<Image> decode_gif(absl::string_view bytes, int64_t max_frames);
absl::StatusOr<Image> decode_bmp(absl::string_view bytes, int channels);

}  // namespace troupe
