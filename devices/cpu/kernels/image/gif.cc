// GIF by giflib, and BMP.
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/codec.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

struct GifInput {
  const char* data;
  size_t left;

  static int read(GifFileType* file, GifByteType* out, int n) {
    auto* self = static_cast<GifInput*>(file->UserData);
    const size_t count = std::min(self->left, static_cast<size_t>(std::max(n, 0)));
    std::memcpy(out, self->data, count);
    self->data += count;
    self->left -= count;
    return static_cast<int>(count);
  }
};

struct GifCloser {
  void operator()(GifFileType* file) const { DGifCloseFile(file, nullptr); }
};

const char* gif_error(int code) {
  const char* text = GifErrorString(code);
  return text == nullptr ? "unknown error" : text;
}

/// Paints frame k over what is in `out`.
absl::Status paint(GifFileType* file, int k, int64_t width, int64_t height, uint8_t* out) {
  const SavedImage& saved = file->SavedImages[k];
  const GifImageDesc& area = saved.ImageDesc;
  GraphicsControlBlock control;
  if (DGifSavedExtensionToGCB(file, k, &control) != GIF_OK) control.TransparentColor = NO_TRANSPARENT_COLOR;
  const ColorMapObject* colors = area.ColorMap != nullptr ? area.ColorMap : file->SColorMap;
  if (colors == nullptr || colors->Colors == nullptr) return invalid("missing color map for frame ", k);
  const int64_t right = std::min<int64_t>(width, int64_t{area.Left} + area.Width);
  const int64_t bottom = std::min<int64_t>(height, int64_t{area.Top} + area.Height);
  for (int64_t y = std::max<int64_t>(0, area.Top); y < bottom; ++y) {
    for (int64_t x = std::max<int64_t>(0, area.Left); x < right; ++x) {
      const int index = saved.RasterBits[(y - area.Top) * area.Width + (x - area.Left)];
      if (index == control.TransparentColor) continue;
      if (index >= colors->ColorCount) {
        return invalid("found color index ", index, " outside of color map range ", colors->ColorCount);
      }
      const GifColorType& color = colors->Colors[index];
      uint8_t* pixel = out + 3 * (y * width + x);
      pixel[0] = color.Red;
      pixel[1] = color.Green;
      pixel[2] = color.Blue;
    }
  }
  return absl::OkStatus();
}

int32_t little_endian_32(const char* p) {
  uint32_t v = 0;
  for (int i = 3; i >= 0; --i) v = v << 8 | static_cast<unsigned char>(p[i]);
  return static_cast<int32_t>(v);
}

}  // namespace

absl::StatusOr<Image> decode_gif(absl::string_view bytes, int64_t max_frames) {
  GifInput input{bytes.data(), bytes.size()};
  int code = 0;
  std::unique_ptr<GifFileType, GifCloser> file(DGifOpen(&input, GifInput::read, &code));
  if (file == nullptr) {
    return invalid("Invalid GIF data (size ", bytes.size(), "), failed to open gif file: ", gif_error(code));
  }
  // A file that breaks off still gives the frames before.
  const bool whole = DGifSlurp(file.get()) == GIF_OK;
  int frames = 0;
  while (frames < file->ImageCount && file->SavedImages[frames].RasterBits != nullptr) ++frames;
  if (!whole && frames > 0 && frames == file->ImageCount) --frames;
  if (frames == 0) {
    return invalid("Invalid GIF data (size ", bytes.size(), "), failed to slurp gif file: ",
                   whole ? "gif file does not contain any image" : gif_error(file->Error));
  }
  Image image;
  image.channels = 3;
  for (int k = 0; k < frames; ++k) {
    image.width = std::max<int64_t>(image.width, file->SavedImages[k].ImageDesc.Width);
    image.height = std::max<int64_t>(image.height, file->SavedImages[k].ImageDesc.Height);
  }
  image.frames = max_frames > 0 ? std::min<int64_t>(max_frames, frames) : frames;
  int64_t frame_bytes = 0, total = 0;
  if (image.width <= 0 || image.height <= 0)
    return invalid("Invalid GIF data (size ", bytes.size(), "), empty frames");
  frame_bytes = image.width * image.height * 3;
  if (multiply_overflows(frame_bytes, image.frames, &total) || total > kMaxImageBytes) {
    return invalid("GIF of ", image.frames, " frames of ", image.width, " x ", image.height,
                   " pixels is too large");
  }
  image.pixels.assign(static_cast<size_t>(total), 0);
  for (int64_t k = 0; k < image.frames; ++k) {
    uint8_t* out = image.pixels.data() + k * frame_bytes;
    if (k > 0) std::memcpy(out, out - frame_bytes, static_cast<size_t>(frame_bytes));
    TROUPE_RETURN_IF_ERROR(paint(file.get(), static_cast<int>(k), image.width, image.height, out));
  }
  return image;
}

absl::StatusOr<Image> decode_bmp(absl::string_view bytes, int channels) {
  constexpr size_t kHeaderBytes = 32;
  if (channels == 1) return invalid("`channels` must be 0, 3 or 4 for BMP, but got ", channels);
  if (bytes.size() < kHeaderBytes) {
    return invalid(
        "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, and bpp, "
        "got ",
        bytes.size(), " bytes");
  }
  const int64_t header = little_endian_32(bytes.data() + 10), width = little_endian_32(bytes.data() + 18);
  const int64_t signed_height = little_endian_32(bytes.data() + 22);
  const int bits = static_cast<unsigned char>(bytes[28]) | static_cast<unsigned char>(bytes[29]) << 8;
  if (header < 0) return invalid("header size must not be negative, got ", header);
  if (width <= 0) return invalid("Width must be positive");
  if (signed_height == 0) return invalid("Height must not be zero");
  const int64_t height = signed_height < 0 ? -signed_height : signed_height, stored = bits / 8;
  if (bits % 8 != 0 || (stored != 1 && stored != 3 && stored != 4)) {
    return invalid("Number of channels inherent in the image must be 1, 3 or 4, was ", stored);
  }
  int64_t pixels = 0;
  if (multiply_overflows(width, height, &pixels) || pixels > (int64_t{1} << 30) / 4) {
    return invalid("Total possible pixel bytes must be less than 2^30");
  }
  const int64_t row_bytes = (stored * width + 3) / 4 * 4;
  const int64_t excess = static_cast<int64_t>(bytes.size()) - (header + row_bytes * height);
  if (excess < 0 || excess > 3) {
    return invalid("Input size should match (header_size + row_size * abs_height) but they differ by ",
                   excess);
  }
  Image image;
  image.width = width;
  image.height = height;
  image.channels = channels == 0 ? stored : channels;
  image.pixels.resize(static_cast<size_t>(pixels * image.channels));
  for (int64_t y = 0; y < height; ++y) {
    // Rows run from the bottom up, unless the height is negative.
    const char* row = bytes.data() + header + row_bytes * (signed_height < 0 ? y : height - 1 - y);
    uint8_t* out = image.pixels.data() + y * width * image.channels;
    for (int64_t x = 0; x < width; ++x, out += image.channels, row += stored) {
      if (image.channels == 1) {
        out[0] = static_cast<uint8_t>(row[0]);
        continue;
      }
      for (int c = 0; c < 3; ++c) out[c] = static_cast<uint8_t>(stored == 1 ? row[0] : row[2 - c]);
      if (image.channels == 4) out[3] = stored == 4 ? static_cast<uint8_t>(row[3]) : 255;
    }
  }
  return image;
}

}  // namespace troupe
