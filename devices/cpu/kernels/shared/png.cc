// PNG by libpng. It leaves by longjmp when something is wrong, so functions that call it hold nothing that a
// destructor would have to clear: the state lives in objects of their callers.
#include "devices/cpu/kernels/shared/png.h"

#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

void on_error(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void on_warning(png_structp, png_const_charp) {}

struct Reader {
  explicit Reader(absl::string_view bytes) : data(bytes.data()), left(bytes.size()) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  static void read(png_structp png, png_bytep out, size_t n) {
    auto* self = static_cast<Reader*>(png_get_io_ptr(png));
    if (n > self->left) png_error(png, "end of data");
    std::memcpy(out, self->data, n);
    self->data += n;
    self->left -= n;
  }

  bool read_header() {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_read_fn(png, this, read);
    png_read_info(png, info);
    return true;
  }

  /// Asks libpng to turn what the file has into what is wanted, and says how long a row then is.
  bool set_transforms(int* channels, int bits, int* passes, size_t* row_bytes) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    const int color = png_get_color_type(png, info), depth = png_get_bit_depth(png, info);
    const bool palette = color == PNG_COLOR_TYPE_PALETTE,
               transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    if (*channels == 0) *channels = palette ? (transparent ? 4 : 3) : png_get_channels(png, info);
    const bool want_alpha = *channels % 2 == 0, want_gray = *channels < 3;
    bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0;
    if (palette) png_set_palette_to_rgb(png);
    if (want_alpha && transparent) {
      png_set_tRNS_to_alpha(png);
      has_alpha = true;
    }
    if (!palette && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (want_alpha && !has_alpha) png_set_add_alpha(png, depth == 16 ? 0xFFFF : 0xFF, PNG_FILLER_AFTER);
    if (!want_alpha) png_set_strip_alpha(png);
    if (depth == 16 && bits == 8) png_set_strip_16(png);
    if (depth == 16 && std::endian::native == std::endian::little) png_set_swap(png);
    const bool is_gray = (color & PNG_COLOR_MASK_COLOR) == 0;
    if (is_gray && !want_gray) png_set_gray_to_rgb(png);
    if (!is_gray && want_gray) png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
    *passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    *row_bytes = png_get_rowbytes(png, info);
    return true;
  }

  bool read_rows(uint8_t* out, int64_t height, size_t row_bytes, int passes) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t y = 0; y < height; ++y)
        png_read_row(png, out + static_cast<size_t>(y) * row_bytes, nullptr);
    }
    png_read_end(png, nullptr);
    return true;
  }

  png_structp png = nullptr;
  png_infop info = nullptr;
  const char* data;
  size_t left;
};

struct Writer {
  Writer() {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  static void write(png_structp png, png_bytep bytes, size_t n) {
    static_cast<Writer*>(png_get_io_ptr(png))->out.append(reinterpret_cast<const char*>(bytes), n);
  }
  static void flush(png_structp) {}

  bool encode(const uint8_t* pixels, uint32_t width, uint32_t height, int channels, int bits,
              int compression) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(png, this, write, flush);
    png_set_compression_level(png, compression);
    png_set_compression_mem_level(png, 9);
    png_set_IHDR(png, info, width, height, bits, kColors[channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (bits > 8 && std::endian::native == std::endian::little) png_set_swap(png);
    const size_t row = size_t{width} * static_cast<size_t>(channels) * static_cast<size_t>(bits / 8);
    for (uint32_t y = 0; y < height; ++y) png_write_row(png, pixels + y * row);
    png_write_end(png, nullptr);
    return true;
  }

  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string out;
};

}  // namespace

absl::StatusOr<PngImage> decode_png(absl::string_view bytes, int channels, int bits) {
  const auto broken = [&] {
    return absl::InvalidArgumentError(absl::StrCat("Invalid PNG data, size ", bytes.size()));
  };
  Reader reader(bytes);
  if (reader.info == nullptr) return absl::ResourceExhaustedError("libpng could not allocate its state");
  PngImage image;
  int passes = 1;
  size_t row_bytes = 0;
  if (!reader.read_header()) return absl::InvalidArgumentError("Invalid PNG. Failed to initialize decoder.");
  image.width = png_get_image_width(reader.png, reader.info);
  image.height = png_get_image_height(reader.png, reader.info);
  image.channels = channels;
  image.bits = bits;
  if (image.width <= 0 || image.height <= 0 || image.width > kMaxImageBytes / 8 / image.height) {
    return absl::InvalidArgumentError(
        absl::StrCat("PNG image of ", image.width, " x ", image.height, " pixels is too large"));
  }
  if (!reader.set_transforms(&image.channels, bits, &passes, &row_bytes)) return broken();
  const size_t samples = static_cast<size_t>(image.width * image.channels);
  if (row_bytes != samples && row_bytes != 2 * samples) return broken();
  const int read_bits = row_bytes == samples ? 8 : 16;
  image.bytes.resize(row_bytes * static_cast<size_t>(image.height));
  if (!reader.read_rows(image.bytes.data(), image.height, row_bytes, passes)) return broken();
  if (read_bits == 8 && bits == 16) {
    std::vector<uint8_t> wide(2 * image.bytes.size());
    for (size_t i = 0; i < image.bytes.size(); ++i) wide[2 * i] = wide[2 * i + 1] = image.bytes[i];
    image.bytes = std::move(wide);
  } else if (read_bits != bits) {
    return broken();
  }
  return image;
}

absl::StatusOr<std::string> encode_png(const void* pixels, int64_t width, int64_t height, int channels,
                                       int bits, int compression) {
  const absl::Status failed = absl::InternalError("PNG encoding failed");
  if (width <= 0 || height <= 0 || width > PNG_UINT_31_MAX || height > PNG_UINT_31_MAX) return failed;
  if (channels < 1 || channels > 4 || (bits != 8 && bits != 16)) return failed;
  Writer writer;
  if (writer.info == nullptr ||
      !writer.encode(static_cast<const uint8_t*>(pixels), static_cast<uint32_t>(width),
                     static_cast<uint32_t>(height), channels, bits, compression)) {
    return failed;
  }
  return std::move(writer.out);
}

}  // namespace troupe
