// ImageProjectiveTransform.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

enum class Fill { kConstant, kReflect, kWrap, kNearest };

/// Maps a coordinate that may lie outside [0, size) by the fill mode.
float map_coordinate(Fill fill, float at, int64_t size) {
  const auto n = static_cast<float>(size);
  switch (fill) {
    case Fill::kConstant: return at;
    case Fill::kNearest: return std::min(std::max(at, 0.0f), n - 1);
    case Fill::kWrap: {
      if (at >= 0 && at <= n - 1) return at;
      if (size <= 1) return 0;
      if (at < 0)
        at += n * (std::trunc(-at / n) + 1);
      else
        at -= n * std::trunc(at / n);
      return std::min(std::max(at, 0.0f), n - 1);
    }
    case Fill::kReflect: {
      if (size <= 1) return 0;
      const float period = 2 * n;
      if (at < 0) {
        if (at < -period) at += period * std::trunc(-at / period);
        at = at < -n ? at + period : -at - 1;
      } else if (at > n - 1) {
        at -= period * std::trunc(at / period);
        if (at >= n) at = period - at - 1;
      }
      return std::min(std::max(at, 0.0f), n - 1);
    }
  }
  return at;
}

template <class T>
class ProjectiveKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string how, c.attr<std::string>("interpolation"));
    if (how != "NEAREST" && how != "BILINEAR")
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid interpolation ", how, ". Supported types: NEAREST, BILINEAR"));
    bilinear_ = how == "BILINEAR";
    std::string fill = c.node().attrs.get_or<std::string>("fill_mode", "CONSTANT");
    if (fill == "REFLECT")
      fill_ = Fill::kReflect;
    else if (fill == "WRAP")
      fill_ = Fill::kWrap;
    else if (fill == "NEAREST")
      fill_ = Fill::kNearest;
    else if (fill != "CONSTANT")
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid mode ", fill, ". Supported types: REFLECT, WRAP, CONSTANT, NEAREST"));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &images = context.input(0), &transforms = context.input(1), &size = context.input(2);
    if (images.rank() != 4) return absl::InvalidArgumentError("Input images must have rank 4");
    if (transforms.rank() != 2 || transforms.dim(1) != 8 ||
        (transforms.dim(0) != 1 && transforms.dim(0) != images.dim(0))) {
      return absl::InvalidArgumentError("Input transform should be num_images x 8 or 1 x 8");
    }
    if (size.rank() != 1 || size.dim(0) != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("output shape must have two elements", size.shape().to_string()));
    }
    const int64_t rows = size.flat<int32_t>()[0], cols = size.flat<int32_t>()[1];
    if (rows <= 0 || cols <= 0) return absl::InvalidArgumentError("output dimensions must be positive");
    float outside = 0;
    if (context.num_inputs() > 3) {
      if (context.input(3).rank() != 0) return absl::InvalidArgumentError("fill_value must be a scalar");
      outside = context.input(3).value<float>();
    }
    const int64_t in_rows = images.dim(1), in_cols = images.dim(2), channels = images.dim(3);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{images.dim(0), rows, cols, channels}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    T* to = out->flat<T>().data();
    const T* all = images.flat<T>().data();
    context.parallel().parallel_for(
        images.dim(0) * rows, cols * channels * 8, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            const int64_t b = r / rows, y = r % rows;
            const float* t = transforms.flat<float>().data() + (transforms.dim(0) == 1 ? 0 : b * 8);
            const T* image = all + b * in_rows * in_cols * channels;
            auto read = [&](float fy, float fx, int64_t c) {
              if (!(fy >= 0 && fy < static_cast<float>(in_rows) && fx >= 0 &&
                    fx < static_cast<float>(in_cols))) {
                return static_cast<float>(static_cast<T>(outside));
              }
              return static_cast<float>(
                  image[(static_cast<int64_t>(fy) * in_cols + static_cast<int64_t>(fx)) * channels + c]);
            };
            for (int64_t x = 0; x < cols; ++x) {
              const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
              const float projection = t[6] * fx + t[7] * fy + 1;
              T* pixel = to + (r * cols + x) * channels;
              if (projection == 0) {
                std::fill_n(pixel, channels, static_cast<T>(outside));
                continue;
              }
              const float ix = map_coordinate(fill_, (t[0] * fx + t[1] * fy + t[2]) / projection, in_cols);
              const float iy = map_coordinate(fill_, (t[3] * fx + t[4] * fy + t[5]) / projection, in_rows);
              for (int64_t c = 0; c < channels; ++c) {
                if (!bilinear_) {
                  const float ry = std::round(iy), rx = std::round(ix);
                  const bool inside = ry >= 0 && ry < static_cast<float>(in_rows) && rx >= 0 &&
                                      rx < static_cast<float>(in_cols);
                  pixel[c] =
                      inside
                          ? image[(static_cast<int64_t>(ry) * in_cols + static_cast<int64_t>(rx)) * channels +
                                  c]
                          : static_cast<T>(outside);
                  continue;
                }
                const float y0 = std::floor(iy), x0 = std::floor(ix), y1 = y0 + 1, x1 = x0 + 1;
                const float above = (x1 - ix) * read(y0, x0, c) + (ix - x0) * read(y0, x1, c);
                const float below = (x1 - ix) * read(y1, x0, c) + (ix - x0) * read(y1, x1, c);
                pixel[c] = static_cast<T>((y1 - iy) * above + (iy - y0) * below);
              }
            }
          }
        });
    return absl::OkStatus();
  }

 private:
  bool bilinear_ = false;
  Fill fill_ = Fill::kConstant;
};

template <class T>
void add_projective(KernelRegistry* r) {
  for (const char* op : {"ImageProjectiveTransformV2", "ImageProjectiveTransformV3"}) {
    r->add(KernelDef(op).type<T>("dtype").template kernel<ProjectiveKernel<T>>());
  }
}

}  // namespace

void register_image_projective_transform(KernelRegistry* r) {
  add_projective<uint8_t>(r);
  add_projective<int32_t>(r);
  add_projective<int64_t>(r);
  add_projective<Eigen::half>(r);
  add_projective<Eigen::bfloat16>(r);
  add_projective<float>(r);
  add_projective<double>(r);
}

}  // namespace troupe
