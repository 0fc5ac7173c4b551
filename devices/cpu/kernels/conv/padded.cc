// Convolutions of images that are mirrored at their edges first, and resized before that.
#include "devices/cpu/kernels/conv/padded.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// What is put around an image.
struct Margins {
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  /// How far the mirror is inside the edge: 1 does not repeat the outermost pixels.
  int64_t inset = 0;
};

absl::StatusOr<Margins> read_margins(const Tensor& t, const Shape& image, bool reflect) {
  if (t.rank() != 2 || t.dim(1) != 2)
    return invalid("paddings must be a matrix with 2 columns: ", t.shape().to_string());
  if (t.dim(0) != image.rank()) {
    return invalid("The first dimension of paddings must be the rank of inputs: ", t.shape().to_string(),
                   ", ", image.to_string());
  }
  const auto p = t.flat<int32_t>();
  const int64_t inset = reflect ? 1 : 0;
  for (int d = 0; d < 4; ++d) {
    const int64_t before = p[2 * d], after = p[2 * d + 1];
    if (before < 0 || after < 0) return invalid("Paddings must be non-negative: ", before, ", ", after);
    if ((d == 0 || d == 3) && (before > 0 || after > 0)) {
      return invalid("Only the rows and columns of an image can be padded");
    }
    if ((d == 1 || d == 2) && std::max(before, after) > image.dim(d) - inset) {
      return invalid("paddings must be ", reflect ? "less" : "no greater",
                     " than the dimension size: ", before, ", ", after, " with size ", image.dim(d));
    }
  }
  return Margins{p[2], p[3], p[4], p[5], inset};
}

/// The pixel that stands at `i` of an axis that was mirrored at both ends.
int64_t mirrored(int64_t i, int64_t size, int64_t inset) {
  if (i < 0) return -i - 1 + inset;
  return i < size ? i : 2 * size - 1 - inset - i;
}

absl::StatusOr<Tensor> pad(const KernelContext& context, const Tensor& in, const Margins& m) {
  const int64_t rows = in.dim(1) + m.top + m.bottom, columns = in.dim(2) + m.left + m.right;
  TROUPE_ASSIGN_OR_RETURN(Shape shape,
                          Shape::make(std::vector<int64_t>{in.dim(0), rows, columns, in.dim(3)}));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(in.dtype(), shape));
  if (out.num_elements() == 0) return out;
  const int64_t depth = in.dim(3);
  for (int64_t b = 0, to = 0; b < in.dim(0); ++b) {
    for (int64_t y = 0; y < rows; ++y) {
      const int64_t row = b * in.dim(1) + mirrored(y - m.top, in.dim(1), m.inset);
      for (int64_t x = 0; x < columns; ++x, to += depth) {
        const int64_t column = mirrored(x - m.left, in.dim(2), m.inset);
        copy_elements(in, (row * in.dim(2) + column) * depth, out, to, depth);
      }
    }
  }
  return out;
}

/// Where an output pixel of a bilinear resize looks along an axis.
struct Blend {
  int64_t low = 0, high = 0;
  float share = 0;
};

std::vector<Blend> blends(int64_t in, int64_t out, bool align_corners) {
  const float scale = align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                               : static_cast<float>(in) / static_cast<float>(out);
  std::vector<Blend> all(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const float at = static_cast<float>(i) * scale;
    const float low = std::floor(at);
    Blend& b = all[static_cast<size_t>(i)];
    b.low = std::min(static_cast<int64_t>(low), in - 1);
    b.high = std::min(b.low + 1, in - 1);
    b.share = at - low;
  }
  return all;
}

template <class T>
void resize_pixels(const Tensor& in, const std::vector<Blend>& rows, const std::vector<Blend>& columns,
                   Tensor* out) {
  const int64_t height = in.dim(1), width = in.dim(2), depth = in.dim(3);
  const T* const from = in.flat<T>().data();
  T* to = out->flat<T>().data();
  for (int64_t b = 0; b < in.dim(0); ++b) {
    auto pixel = [&](int64_t y, int64_t x) { return from + ((b * height + y) * width + x) * depth; };
    for (const Blend& y : rows) {
      for (const Blend& x : columns) {
        const T *a = pixel(y.low, x.low), *c = pixel(y.low, x.high), *d = pixel(y.high, x.low),
                *e = pixel(y.high, x.high);
        for (int64_t k = 0; k < depth; ++k) {
          const float top =
              static_cast<float>(a[k]) + (static_cast<float>(c[k]) - static_cast<float>(a[k])) * x.share;
          const float low =
              static_cast<float>(d[k]) + (static_cast<float>(e[k]) - static_cast<float>(d[k])) * x.share;
          *to++ = static_cast<T>(top + (low - top) * y.share);
        }
      }
    }
  }
}

absl::StatusOr<Tensor> resize(const KernelContext& context, const Tensor& in, const Tensor& size,
                              bool align_corners) {
  if (!is_vector(size) || size.num_elements() != 2) {
    return invalid("size must be 1-dimensional with 2 elements: ", size.shape().to_string());
  }
  const int64_t height = size.flat<int32_t>()[0], width = size.flat<int32_t>()[1];
  if (height <= 0 || width <= 0) return invalid("output dimensions must be positive");
  if (in.dim(1) == 0 || in.dim(2) == 0) return invalid("input image must be of non-zero size");
  TROUPE_ASSIGN_OR_RETURN(Shape shape,
                          Shape::make(std::vector<int64_t>{in.dim(0), height, width, in.dim(3)}));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(in.dtype(), shape));
  // Nothing to make, however many rows it has.
  if (out.num_elements() == 0) return out;
  const auto rows = blends(in.dim(1), height, align_corners),
             columns = blends(in.dim(2), width, align_corners);
  switch (in.dtype()) {
    case DataType::kFloat: resize_pixels<float>(in, rows, columns, &out); break;
    case DataType::kDouble: resize_pixels<double>(in, rows, columns, &out); break;
    case DataType::kHalf: resize_pixels<Eigen::half>(in, rows, columns, &out); break;
    default: return absl::UnimplementedError(absl::StrCat("resize of ", dtype_name(in.dtype())));
  }
  return out;
}

template <bool kResize>
class PaddedConvKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, 2));
    TROUPE_ASSIGN_OR_RETURN(const std::string mode, c.attr<std::string>("mode"));
    if (mode != "REFLECT" && mode != "SYMMETRIC") return invalid("mode must be either REFLECT or SYMMETRIC.");
    reflect_ = mode == "REFLECT";
    align_corners_ = c.node().attrs.get_or("resize_align_corners", false);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    Tensor image = context.input(0);
    if (image.rank() != 4) return invalid("input must be 4-dimensional", image.shape().to_string());
    if (kResize) {
      TROUPE_ASSIGN_OR_RETURN(image, resize(context, image, context.input(1), align_corners_));
    }
    constexpr int kPaddings = kResize ? 2 : 1;
    TROUPE_ASSIGN_OR_RETURN(const Margins margins,
                            read_margins(context.input(kPaddings), image.shape(), reflect_));
    TROUPE_ASSIGN_OR_RETURN(image, pad(context, image, margins));
    TROUPE_ASSIGN_OR_RETURN(Tensor out, convolve(context, attrs_, image, context.input(kPaddings + 1)));
    context.set_output(0, std::move(out));
    return absl::OkStatus();
  }

 private:
  WindowAttrs attrs_;
  bool reflect_ = false;
  bool align_corners_ = false;
};

}  // namespace

void register_conv_padded(KernelRegistry* registry) {
  registry->add(KernelDef("FusedPadConv2D")
                    .types("T", {DataType::kHalf, DataType::kBfloat16, DataType::kFloat, DataType::kDouble})
                    .kernel<PaddedConvKernel<false>>());
  registry->add(KernelDef("FusedResizeAndPadConv2D")
                    .types("T", {DataType::kHalf, DataType::kFloat, DataType::kDouble})
                    .kernel<PaddedConvKernel<true>>());
}

}  // namespace troupe
