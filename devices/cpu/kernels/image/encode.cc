// EncodePng, EncodeJpeg, EncodeJpegVariableQuality.
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/image/codec.h"
#include "devices/cpu/kernels/image/jpeg.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/png.h"

namespace troupe {
namespace {

/// Every picture of a batch of any shape.
class EncodePngKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("compression", &compression_); }
  absl::Status init(const KernelConstruction&) {
    if (compression_ < -1 || compression_ > 9) {
      return invalid("compression should be in [-1,9], got ", compression_);
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& images = context.input(0);
    const int rank = images.rank();
    if (rank < 3) return invalid("images must be at least rank 3", images.shape().to_string());
    const int64_t height = images.dim(rank - 3), width = images.dim(rank - 2),
                  channels = images.dim(rank - 1);
    if (channels < 1 || channels > 4)
      return invalid("image must have 1, 2, 3, or 4 channels, got ", channels);
    std::vector<int64_t> dims = images.shape().to_vector();
    dims.resize(static_cast<size_t>(rank) - 3);
    TROUPE_ASSIGN_OR_RETURN(Shape batch, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, batch));
    const size_t pixel = dtype_size(images.dtype());
    const size_t step =
        height == 0 || width == 0 ? 0 : static_cast<size_t>(height * width * channels) * pixel;
    auto files = out->flat<TString>();
    std::vector<size_t> failed;
    for (size_t i = 0; i < files.size(); ++i) {
      auto file =
          encode_png(static_cast<const char*>(images.raw()) + i * step, width, height,
                     static_cast<int>(channels), static_cast<int>(8 * pixel), static_cast<int>(compression_));
      if (file.ok()) {
        files[i].assign(*file);
      } else {
        failed.push_back(i);
      }
    }
    if (failed.empty()) return absl::OkStatus();
    constexpr size_t kNamed = 16;
    const bool many = failed.size() > kNamed;
    if (many) failed.resize(kNamed);
    return absl::InternalError(absl::StrCat("PNG encoding failed at the following flattened batch indices: ",
                                            absl::StrJoin(failed, ", "), many ? ", ..." : ""));
  }

 private:
  int64_t compression_ = -1;
};

absl::Status encode_into(KernelContext& context, const Tensor& image, const JpegEncodeOptions& options) {
  TROUPE_ASSIGN_OR_RETURN(std::string file,
                          encode_jpeg(image.flat<uint8_t>().data(), image.dim(1), image.dim(0),
                                      static_cast<int>(image.dim(2)), options));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<TString>()[0].assign(file);
  return absl::OkStatus();
}

absl::Status check_image(const Tensor& image) {
  if (image.rank() != 3) return invalid("image must be 3-dimensional", image.shape().to_string());
  if (image.dim(2) != 1 && image.dim(2) != 3) {
    return invalid("image must have 1 or 3 channels, got ", image.shape().to_string());
  }
  return absl::OkStatus();
}

class EncodeJpegKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    JpegEncodeOptions& options = options_;
    TROUPE_ASSIGN_OR_RETURN(std::string format, c.attr<std::string>("format"));
    if (format == "grayscale") {
      channels_ = 1;
    } else if (format == "rgb") {
      channels_ = 3;
    } else if (!format.empty()) {
      return invalid("format must be '', grayscale or rgb, got ", format);
    }
    format_ = format;
    TROUPE_ASSIGN_OR_RETURN(int64_t quality, c.attr<int64_t>("quality"));
    if (quality < 0 || quality > 100) return invalid("quality must be in [0,100], got ", quality);
    options.quality = static_cast<int>(quality);
    TROUPE_ASSIGN_OR_RETURN(options.progressive, c.attr<bool>("progressive"));
    TROUPE_ASSIGN_OR_RETURN(options.optimize_size, c.attr<bool>("optimize_size"));
    TROUPE_ASSIGN_OR_RETURN(options.chroma_downsampling, c.attr<bool>("chroma_downsampling"));
    const std::string unit = c.node().attrs.get_or<std::string>("density_unit", "in");
    if (unit != "in" && unit != "cm") return invalid("Invalid density_unit ", unit, ": must be 'in' or 'cm'");
    options.per_centimetre = unit == "cm";
    TROUPE_ASSIGN_OR_RETURN(int64_t x_density, c.attr<int64_t>("x_density"));
    TROUPE_ASSIGN_OR_RETURN(int64_t y_density, c.attr<int64_t>("y_density"));
    options.x_density = static_cast<int>(x_density & 0xFFFF);
    options.y_density = static_cast<int>(y_density & 0xFFFF);
    TROUPE_ASSIGN_OR_RETURN(options.xmp_metadata, c.attr<std::string>("xmp_metadata"));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& image = context.input(0);
    TROUPE_RETURN_IF_ERROR(check_image(image));
    if (channels_ != 0 && image.dim(2) != channels_) {
      return invalid("format ", format_, " expects ", channels_, " channels, got ",
                     image.shape().to_string());
    }
    return encode_into(context, image, options_);
  }

 private:
  JpegEncodeOptions options_;
  std::string format_;
  int channels_ = 0;
};

absl::Status encode_jpeg_variable_quality(KernelContext& context) {
  const Tensor& image = context.input(0);
  const Tensor& quality = context.input(1);
  TROUPE_RETURN_IF_ERROR(check_image(image));
  if (quality.rank() != 0) return invalid("quality must be scalar: ", quality.shape().to_string());
  JpegEncodeOptions options;
  options.quality = quality.value<int32_t>();
  if (options.quality < 0 || options.quality > 100)
    return invalid("quality must be in [0,100], got ", options.quality);
  return encode_into(context, image, options);
}

}  // namespace

void register_image_encode(KernelRegistry* registry) {
  registry->add(
      KernelDef("EncodePng").types("T", {DataType::kUint8, DataType::kUint16}).kernel<EncodePngKernel>());
  registry->add(KernelDef("EncodeJpeg").kernel<EncodeJpegKernel>());
  registry->add(KernelDef("EncodeJpegVariableQuality").fn(encode_jpeg_variable_quality));
}

}  // namespace troupe
