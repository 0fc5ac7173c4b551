// ImageSummary: pictures of a batch as PNG.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/shared/png.h"
#include "devices/cpu/kernels/summary/values.h"
#include "devices/kernel_registry.h"
#include "proto/summary.pb.h"

namespace troupe {

namespace {

namespace pb = ::tensorflow;

/// Below this, the largest value of a picture counts as zero.
constexpr float kZero = 1e-6f;

/// The samples of one picture as bytes. From 0 up they are stretched so that the largest is 255; with
/// negative ones among them so that zero is 128 and the largest of either sign 127 away. A pixel with
/// infinities or NaN gets `bad_color`.
template <class T>
std::vector<uint8_t> to_bytes(const T* samples, int64_t pixels, int64_t channels,
                              const std::vector<uint8_t>& bad_color) {
  auto sample = [&](int64_t i) { return static_cast<float>(samples[i]); };
  auto is_good = [&](int64_t pixel) {
    for (int64_t c = 0; c < channels; ++c) {
      if (!std::isfinite(sample(pixel * channels + c))) return false;
    }
    return true;
  };
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (int64_t p = 0; p < pixels; ++p) {
    if (!is_good(p)) continue;
    for (int64_t c = 0; c < channels; ++c) {
      least = std::min(least, sample(p * channels + c));
      most = std::max(most, sample(p * channels + c));
    }
  }
  float scale, offset;
  if (least < 0) {
    const float size = std::max(std::abs(least), std::abs(most));
    scale = size < kZero ? 0.0f : 127.0f / size;
    offset = 128;
  } else {
    scale = most < kZero ? 0.0f : 255.0f / most;
    offset = 0;
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(pixels * channels));
  for (int64_t p = 0; p < pixels; ++p) {
    const bool good = is_good(p);
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t i = p * channels + c;
      const float scaled = good ? std::clamp(sample(i) * scale + offset, 0.0f, 255.0f) : 0.0f;
      bytes[static_cast<size_t>(i)] = good ? static_cast<uint8_t>(scaled) : bad_color[static_cast<size_t>(c)];
    }
  }
  return bytes;
}

std::vector<uint8_t> picture(const Tensor& images, int64_t i, int64_t pixels, int64_t channels,
                             const std::vector<uint8_t>& bad_color) {
  const int64_t at = i * pixels * channels;
  switch (images.dtype()) {
    case DataType::kFloat: return to_bytes(images.flat<float>().data() + at, pixels, channels, bad_color);
    case DataType::kDouble: return to_bytes(images.flat<double>().data() + at, pixels, channels, bad_color);
    case DataType::kHalf:
      return to_bytes(images.flat<Eigen::half>().data() + at, pixels, channels, bad_color);
    default: {
      const uint8_t* from = images.flat<uint8_t>().data() + at;
      return {from, from + pixels * channels};
    }
  }
}

}  // namespace

absl::Status add_images(const Tensor& images, const std::string& tag, const std::vector<uint8_t>& bad_color,
                        int64_t most, pb::Summary* summary) {
  const bool is_batch = images.rank() == 4;
  const int64_t channels = is_batch ? images.dim(3) : 0;
  if (channels != 1 && channels != 3 && channels != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("Tensor must be 4-D with last dim 1, 3, or 4, not ", images.shape().to_string()));
  }
  if (static_cast<int64_t>(bad_color.size()) < channels) {
    return absl::InvalidArgumentError(absl::StrCat("expected depth <= bad_color.size, got depth = ", channels,
                                                   ", bad_color.size = ", bad_color.size()));
  }
  const int64_t height = images.dim(1), width = images.dim(2);
  if (height >= (1 << 24) || width >= (1 << 24)) {
    return absl::InvalidArgumentError(
        absl::StrCat("images are too large for summaries: ", images.shape().to_string()));
  }
  for (int64_t i = 0; i < std::min(most, images.dim(0)); ++i) {
    auto* value = summary->add_value();
    value->set_tag(most > 1 ? absl::StrCat(tag, "/image/", i) : absl::StrCat(tag, "/image"));
    const std::vector<uint8_t> bytes = picture(images, i, height * width, channels, bad_color);
    auto* image = value->mutable_image();
    image->set_height(static_cast<int32_t>(height));
    image->set_width(static_cast<int32_t>(width));
    image->set_colorspace(static_cast<int32_t>(channels));
    TROUPE_ASSIGN_OR_RETURN(std::string png,
                            encode_png(bytes.data(), width, height, static_cast<int>(channels), 8));
    image->set_encoded_image_string(std::move(png));
  }
  return absl::OkStatus();
}

namespace {

class ImageSummaryKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("max_images", &max_images_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(Tensor bad, c.attr<Tensor>("bad_color"));
    if (bad.dtype() != DataType::kUint8) {
      return absl::InvalidArgumentError("bad_color must be uint8, got " + dtype_name(bad.dtype()));
    }
    if (bad.rank() != 1) {
      return absl::InvalidArgumentError("bad_color must be a vector, got shape " + bad.shape().to_string());
    }
    for (uint8_t v : bad.flat<uint8_t>()) bad_color_.push_back(v);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& tag = context.input(0);
    const Tensor& images = context.input(1);
    if (tag.rank() != 0) return absl::InvalidArgumentError("Tags must be a scalar");
    pb::Summary summary;
    TROUPE_RETURN_IF_ERROR(add_images(images, tag.value<TString>().str(), bad_color_, max_images_, &summary));
    std::string out;
    if (!summary.SerializeToString(&out)) return absl::InternalError("a summary that cannot be written");
    context.set_output(0, Tensor::string_scalar(out));
    return absl::OkStatus();
  }

 private:
  int64_t max_images_ = 3;
  std::vector<uint8_t> bad_color_;
};

}  // namespace

void register_summary_image(KernelRegistry* registry) {
  registry->add(KernelDef("ImageSummary")
                    .types("T", {DataType::kUint8, DataType::kFloat, DataType::kHalf, DataType::kDouble})
                    .kernel<ImageSummaryKernel>());
}

}  // namespace troupe
