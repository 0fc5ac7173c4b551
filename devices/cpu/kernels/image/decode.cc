// DecodeImage, DecodePng, DecodeJpeg, DecodeGif, DecodeBmp, DecodeAndCropJpeg, ExtractJpegShape.
#include <cstring>
#include <string>

#include "absl/strings/match.h"
#include "devices/cpu/kernels/image/codec.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/png.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

enum class Format { kUnknown, kJpeg, kPng, kGif, kBmp };

Format format_of(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "\xff\xd8\xff")) return Format::kJpeg;
  if (absl::StartsWith(bytes, "\x89PNG\r\n\x1a\n")) return Format::kPng;
  if (absl::StartsWith(bytes, "GIF8")) return Format::kGif;
  if (absl::StartsWith(bytes, "BM")) return Format::kBmp;
  return Format::kUnknown;
}

const char* format_name(Format format) {
  switch (format) {
    case Format::kJpeg: return "JPEG";
    case Format::kPng: return "PNG";
    case Format::kGif: return "GIF";
    case Format::kBmp: return "BMP";
    case Format::kUnknown: break;
  }
  return "unknown";
}

const char* format_op(Format format) {
  switch (format) {
    case Format::kJpeg: return "decode_jpeg";
    case Format::kPng: return "decode_png";
    case Format::kGif: return "decode_gif";
    default: return "decode_bmp";
  }
}

absl::StatusOr<absl::string_view> contents_of(const Tensor& contents) {
  if (contents.rank() != 0)
    return invalid("`contents` must be scalar but got shape", contents.shape().to_string());
  absl::string_view bytes = contents.value<TString>().view();
  if (bytes.empty()) return invalid("Input is empty.");
  return bytes;
}

/// All ops that decode a whole picture: each takes every format that TensorFlow lets it take.
class DecodeImageKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    op_ = c.node().op->name;
    const AttrMap& attrs = c.node().attrs;
    const int64_t channels = attrs.get_or<int64_t>("channels", 0);
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
      return invalid("`channels` must be 0, 1, 3 or 4 but got ", channels);
    }
    channels_ = static_cast<int>(channels);
    expand_animations_ = attrs.get_or<bool>("expand_animations", true);
    TROUPE_ASSIGN_OR_RETURN(jpeg_, read_jpeg_options(attrs));
    return absl::OkStatus();
  }

  static absl::StatusOr<JpegOptions> read_jpeg_options(const AttrMap& attrs) {
    JpegOptions jpeg;
    const int64_t ratio = attrs.get_or<int64_t>("ratio", 1);
    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
      return invalid("ratio must be 1, 2, 4, or 8, got ", ratio);
    jpeg.ratio = static_cast<int>(ratio);
    jpeg.fancy_upscaling = attrs.get_or<bool>("fancy_upscaling", true);
    jpeg.recover_truncated = attrs.get_or<bool>("try_recover_truncated", false);
    jpeg.acceptable_fraction = attrs.get_or<float>("acceptable_fraction", 1.0f);
    const std::string dct = attrs.get_or<std::string>("dct_method", "");
    if (dct == "INTEGER_FAST") {
      jpeg.dct = JpegOptions::Dct::kFast;
    } else if (dct == "INTEGER_ACCURATE") {
      jpeg.dct = JpegOptions::Dct::kAccurate;
    } else if (!dct.empty()) {
      return invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
    }
    return jpeg;
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(absl::string_view bytes, contents_of(context.input(0)));
    const Format format = format_of(bytes);
    if (format == Format::kUnknown) {
      return invalid("Unknown image file format. One of JPEG, PNG, GIF, BMP required.");
    }
    if (op_ == "DecodeBmp" && format != Format::kBmp) {
      return invalid("Trying to decode ", format_name(format), " format using DecodeBmp op. Use `",
                     format_op(format), "` or `decode_image` instead.");
    }
    if (format == Format::kBmp && op_ != "DecodeBmp" && op_ != "DecodeImage") {
      return invalid(
          "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op "
          "used: ",
          op_);
    }
    if (format == Format::kPng) return decode_png_into(context, bytes);
    TROUPE_ASSIGN_OR_RETURN(Image image, decode(bytes, format));
    const bool four_dims =
        op_ == "DecodeGif" || (op_ == "DecodeImage" && format == Format::kGif && expand_animations_);
    if (!four_dims && image.frames != 1) {
      return invalid(
          "Got ", image.frames,
          " frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image");
    }
    Indices dims = {image.frames, image.height, image.width, image.channels};
    if (!four_dims) dims.erase(dims.begin());
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    const size_t n = image.pixels.size();
    switch (out->dtype()) {
      case DataType::kUint16:
        for (size_t i = 0; i < n; ++i) out->flat<uint16_t>()[i] = static_cast<uint16_t>(image.pixels[i] << 8);
        break;
      case DataType::kFloat:
        for (size_t i = 0; i < n; ++i)
          out->flat<float>()[i] = static_cast<float>(image.pixels[i]) * (1.0f / 255.0f);
        break;
      default: std::memcpy(out->raw(), image.pixels.data(), n);
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Image> decode(absl::string_view bytes, Format format) const {
    if (format == Format::kBmp) return decode_bmp(bytes, channels_);
    if (format == Format::kGif) {
      if (channels_ != 0 && channels_ != 3)
        return invalid("channels must be 0 or 3 for GIF, got ", channels_);
      return decode_gif(bytes, op_ == "DecodeImage" && !expand_animations_ ? 1 : 0);
    }
    if (channels_ == 4) return invalid("JPEG does not support 4 channels");
    JpegOptions options = jpeg_;
    options.channels = channels_;
    return decode_jpeg(bytes, options);
  }

  absl::Status decode_png_into(KernelContext& context, absl::string_view bytes) const {
    const DataType dtype = context.output_type(0);
    TROUPE_ASSIGN_OR_RETURN(PngImage png, decode_png(bytes, channels_, dtype == DataType::kUint8 ? 8 : 16));
    Shape shape{png.height, png.width, png.channels};
    if (op_ == "DecodeGif") shape.insert_dim(0, 1);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (dtype != DataType::kFloat) {
      std::memcpy(out->raw(), png.bytes.data(), png.bytes.size());
      return absl::OkStatus();
    }
    auto to = out->flat<float>();
    for (size_t i = 0; i < to.size(); ++i) {
      uint16_t sample;
      std::memcpy(&sample, png.bytes.data() + 2 * i, sizeof(sample));
      to[i] = static_cast<float>(sample) * (1.0f / 65535.0f);
    }
    return absl::OkStatus();
  }

  std::string op_;
  int channels_ = 0;
  bool expand_animations_ = true;
  JpegOptions jpeg_;
};

class DecodeAndCropJpegKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(options_, DecodeImageKernel::read_jpeg_options(c.node().attrs));
    TROUPE_ASSIGN_OR_RETURN(int64_t channels, c.attr<int64_t>("channels"));
    if (channels != 0 && channels != 1 && channels != 3)
      return invalid("channels must be 0, 1, or 3 for JPEG, got ", channels);
    options_.channels = static_cast<int>(channels);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(absl::string_view bytes, contents_of(context.input(0)));
    const Tensor& window = context.input(1);
    if (window.rank() != 1) return invalid("crop_window must be 1-D, got shape ", window.shape().to_string());
    if (window.dim(0) != 4) return invalid("crop_size must have four elements ", window.shape().to_string());
    auto w = window.flat<int32_t>();
    const int64_t top = w[0], left = w[1], height = w[2], width = w[3];
    TROUPE_ASSIGN_OR_RETURN(Image image, decode_jpeg(bytes, options_));
    if (top < 0 || left < 0 || height <= 0 || width <= 0 || top + height > image.height ||
        left + width > image.width) {
      return invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window.");
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{height, width, image.channels}));
    const size_t row = static_cast<size_t>(width * image.channels);
    for (int64_t y = 0; y < height; ++y) {
      std::memcpy(out->flat<uint8_t>().data() + static_cast<size_t>(y) * row,
                  image.pixels.data() + ((top + y) * image.width + left) * image.channels, row);
    }
    return absl::OkStatus();
  }

 private:
  JpegOptions options_;
};

absl::Status extract_jpeg_shape(KernelContext& context) {
  const Tensor& contents = context.input(0);
  if (contents.rank() != 0)
    return invalid("contents must be scalar, got shape ", contents.shape().to_string());
  TROUPE_ASSIGN_OR_RETURN(Image image, jpeg_shape(contents.value<TString>().view()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{3}));
  set_int(out, 0, image.height);
  set_int(out, 1, image.width);
  set_int(out, 2, image.channels);
  return absl::OkStatus();
}

}  // namespace

void register_image_decode(KernelRegistry* registry) {
  for (const char* op : {"DecodeImage", "DecodePng", "DecodeJpeg", "DecodeGif", "DecodeBmp"}) {
    registry->add(KernelDef(op).kernel<DecodeImageKernel>());
  }
  registry->add(KernelDef("DecodeAndCropJpeg").kernel<DecodeAndCropJpegKernel>());
  registry->add(KernelDef("ExtractJpegShape").types("output_type", index_types()).fn(extract_jpeg_shape));
}

}  // namespace troupe
