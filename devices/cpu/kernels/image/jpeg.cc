// JPEG by libjpeg-turbo. As with libpng, what calls it holds nothing that a destructor would have to clear.
#include "devices/cpu/kernels/image/jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <jerror.h>
#include <jpeglib.h>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/codec.h"

namespace troupe {
namespace {

struct Errors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;

  static void leave(j_common_ptr info) { std::longjmp(reinterpret_cast<Errors*>(info->err)->jump, 1); }
  static void ignore(j_common_ptr) {}

  jpeg_error_mgr* init() {
    jpeg_std_error(&manager);
    manager.error_exit = leave;
    manager.output_message = ignore;
    return &manager;
  }
};
static_assert(offsetof(Errors, manager) == 0, "libjpeg hands back a pointer to the manager");

struct Decompressor {
  Decompressor(absl::string_view input, bool recover) : bytes(input), recover_truncated(recover) {
    info.err = errors.init();
    info.client_data = this;
  }
  ~Decompressor() {
    if (created) jpeg_destroy_decompress(&info);
  }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  static void init_source(j_decompress_ptr) {}
  static void term_source(j_decompress_ptr) {}
  static boolean fill_input(j_decompress_ptr info) {
    auto* self = static_cast<Decompressor*>(info->client_data);
    if (!self->recover_truncated) ERREXIT(info, JERR_INPUT_EOF);
    // An end marker, as often as it is asked for: what is missing comes out gray.
    static const JOCTET kEnd[2] = {0xFF, JPEG_EOI};
    info->src->next_input_byte = kEnd;
    info->src->bytes_in_buffer = sizeof(kEnd);
    return TRUE;
  }
  static void skip_input(j_decompress_ptr info, long n) {
    if (n <= 0) return;
    if (static_cast<size_t>(n) > info->src->bytes_in_buffer) {
      info->src->next_input_byte += info->src->bytes_in_buffer;
      info->src->bytes_in_buffer = 0;
      fill_input(info);
      return;
    }
    info->src->next_input_byte += n;
    info->src->bytes_in_buffer -= static_cast<size_t>(n);
  }

  bool read_header() {
    if (setjmp(errors.jump) != 0) return false;
    jpeg_create_decompress(&info);
    created = true;
    source.init_source = init_source;
    source.fill_input_buffer = fill_input;
    source.skip_input_data = skip_input;
    source.resync_to_restart = jpeg_resync_to_restart;
    source.term_source = term_source;
    source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source.bytes_in_buffer = bytes.size();
    info.src = &source;
    return jpeg_read_header(&info, TRUE) == JPEG_HEADER_OK;
  }

  /// Sets the options; output_width and its like are then known.
  bool configure(const JpegOptions& options, int channels) {
    if (setjmp(errors.jump) != 0) return false;
    const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = channels == 1 ? JCS_GRAYSCALE : cmyk ? JCS_CMYK : JCS_RGB;
    info.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
    info.scale_num = 1;
    info.scale_denom = static_cast<unsigned>(options.ratio);
    // The quick one where nothing is asked for: TensorFlow's libjpeg is built so.
    info.dct_method = options.dct == JpegOptions::Dct::kAccurate ? JDCT_ISLOW : JDCT_IFAST;
    jpeg_calc_output_dimensions(&info);
    return true;
  }

  /// Reads rows of `row_bytes` until all are there or the data ends; counts them in rows_read.
  void read_rows(uint8_t* out, size_t row_bytes) {
    if (setjmp(errors.jump) != 0) return;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = out + static_cast<size_t>(info.output_scanline) * row_bytes;
      if (jpeg_read_scanlines(&info, &row, 1) == 0) return;
      rows_read = info.output_scanline;
    }
    complete = true;
    jpeg_finish_decompress(&info);
  }

  jpeg_decompress_struct info{};
  jpeg_source_mgr source{};
  Errors errors{};
  absl::string_view bytes;
  const bool recover_truncated;
  bool created = false;
  bool complete = false;
  int64_t rows_read = 0;
};

/// Four inks to three colours. Adobe's files keep the inks inverted.
void cmyk_to_rgb(const uint8_t* in, uint8_t* out, size_t pixels, bool inverted) {
  for (size_t i = 0; i < pixels; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      const int ink = in[4 * i + c], black = in[4 * i + 3];
      out[3 * i + c] = static_cast<uint8_t>(inverted ? black * ink / 255 : (255 - black) * (255 - ink) / 255);
    }
  }
}

struct Compressor {
  explicit Compressor(const JpegEncodeOptions& o) : options(o) { info.err = errors.init(); }
  ~Compressor() {
    if (created) jpeg_destroy_compress(&info);
    std::free(buffer);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  bool encode(const uint8_t* pixels, unsigned width, unsigned height, int channels) {
    if (setjmp(errors.jump) != 0) return false;
    jpeg_create_compress(&info);
    created = true;
    jpeg_mem_dest(&info, &buffer, &size);
    info.image_width = width;
    info.image_height = height;
    info.input_components = channels;
    info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    if (options.optimize_size) info.optimize_coding = TRUE;
    info.density_unit = options.per_centimetre ? 2 : 1;
    info.X_density = static_cast<UINT16>(options.x_density);
    info.Y_density = static_cast<UINT16>(options.y_density);
    jpeg_set_quality(&info, options.quality, TRUE);
    if (options.progressive) jpeg_simple_progression(&info);
    if (!options.chroma_downsampling) {
      for (int c = 0; c < info.num_components; ++c) {
        info.comp_info[c].h_samp_factor = 1;
        info.comp_info[c].v_samp_factor = 1;
      }
    }
    jpeg_start_compress(&info, TRUE);
    if (xmp_size > 0) jpeg_write_marker(&info, JPEG_APP0 + 1, xmp, xmp_size);
    const size_t row_bytes = size_t{width} * static_cast<size_t>(channels);
    while (info.next_scanline < info.image_height) {
      JSAMPROW row = const_cast<uint8_t*>(pixels) + info.next_scanline * row_bytes;
      jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
  }

  jpeg_compress_struct info{};
  Errors errors{};
  const JpegEncodeOptions& options;
  const JOCTET* xmp = nullptr;
  unsigned xmp_size = 0;
  unsigned char* buffer = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  bool created = false;
};

absl::Status broken() {
  return absl::InvalidArgumentError("jpeg::Uncompress failed. Invalid JPEG data or crop window.");
}

}  // namespace

absl::StatusOr<Image> decode_jpeg(absl::string_view bytes, const JpegOptions& options) {
  Decompressor jpeg(bytes, options.recover_truncated);
  if (!jpeg.read_header()) return broken();
  Image image;
  image.channels = options.channels != 0 ? options.channels : std::min(jpeg.info.num_components, 3);
  if (image.channels != 1) image.channels = 3;
  if (!jpeg.configure(options, static_cast<int>(image.channels))) return broken();
  image.width = jpeg.info.output_width;
  image.height = jpeg.info.output_height;
  const int64_t read_channels = jpeg.info.out_color_space == JCS_CMYK ? 4 : image.channels;
  if (image.width <= 0 || image.height <= 0 || image.width * image.height * read_channels > kMaxImageBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("jpeg::Uncompress failed. Invalid JPEG data or crop window: ", image.width, " x ",
                     image.height, " pixels are too many"));
  }
  const size_t row_bytes = static_cast<size_t>(image.width * read_channels);
  image.pixels.resize(row_bytes * static_cast<size_t>(image.height));
  jpeg.read_rows(image.pixels.data(), row_bytes);
  if (!jpeg.complete) {
    const double fraction = static_cast<double>(jpeg.rows_read) / static_cast<double>(image.height);
    if (jpeg.rows_read == 0 || fraction < options.acceptable_fraction) return broken();
    std::fill(image.pixels.begin() + static_cast<int64_t>(row_bytes) * jpeg.rows_read, image.pixels.end(),
              uint8_t{0});
  }
  if (read_channels == 4) {
    std::vector<uint8_t> rgb(static_cast<size_t>(image.width * image.height) * 3);
    cmyk_to_rgb(image.pixels.data(), rgb.data(), rgb.size() / 3, jpeg.info.saw_Adobe_marker != 0);
    image.pixels = std::move(rgb);
  }
  return image;
}

absl::StatusOr<Image> jpeg_shape(absl::string_view bytes) {
  Decompressor jpeg(bytes, false);
  if (!jpeg.read_header()) {
    return absl::InvalidArgumentError(absl::StrCat("Invalid JPEG data, size ", bytes.size()));
  }
  Image image;
  image.width = jpeg.info.image_width;
  image.height = jpeg.info.image_height;
  image.channels = jpeg.info.num_components;
  return image;
}

absl::StatusOr<std::string> encode_jpeg(const uint8_t* pixels, int64_t width, int64_t height, int channels,
                                        const JpegEncodeOptions& options) {
  const absl::Status failed = absl::InternalError("JPEG encoding failed");
  if (width <= 0 || height <= 0 || width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION) return failed;
  std::string xmp;
  if (!options.xmp_metadata.empty()) {
    xmp = absl::StrCat(absl::string_view("http://ns.adobe.com/xap/1.0/\0", 29), options.xmp_metadata);
    constexpr size_t kMaxMarkerBytes = 65533;
    if (xmp.size() > kMaxMarkerBytes) return failed;
  }
  Compressor jpeg(options);
  jpeg.xmp = reinterpret_cast<const JOCTET*>(xmp.data());
  jpeg.xmp_size = static_cast<unsigned>(xmp.size());
  if (!jpeg.encode(pixels, static_cast<unsigned>(width), static_cast<unsigned>(height), channels))
    return failed;
  return std::string(reinterpret_cast<const char*>(jpeg.buffer), jpeg.size);
}

}  // namespace troupe
