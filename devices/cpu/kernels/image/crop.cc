#include <Eigen/Core>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/dtypes.h"
#include "devices/cpu/kernels/shared/float_elements.h"

namespace troupe {
namespace {

struct CropAttrs {
  bool nearest = false;
  float outside = 0;

  static absl::StatusOr<CropAttrs> make(const KernelConstruction& c) {
    CropAttrs a;
    TROUPE_ASSIGN_OR_RETURN(std::string method, c.attr<std::string>("method"));
    if (method != "bilinear" && method != "nearest") {
      return absl::InvalidArgumentError(absl::StrCat("method must be 'bilinear' or 'nearest'", method));
    }
    a.nearest = method == "nearest";
    a.outside = c.node().attrs.get_or<float>("extrapolation_value", 0.0f);
    return a;
  }
};

absl::Status check_boxes(const Tensor& boxes, const Tensor& index, int64_t batch) {
  if (boxes.num_elements() == 0 && index.num_elements() == 0) return absl::OkStatus();
  if (boxes.rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("boxes must be 2-D", boxes.shape().to_string()));
  }
  if (boxes.dim(1) != 4) return absl::InvalidArgumentError("boxes must have 4 columns");
  if (index.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("box_index must be 1-D", index.shape().to_string()));
  }
  if (index.dim(0) != boxes.dim(0)) return absl::InvalidArgumentError("box_index has incompatible shape");
  for (int32_t i : index.flat<int32_t>()) {
    if (i < 0 || i >= batch) return absl::OutOfRangeError("box_index has values outside [0, batch_size)");
  }
  return absl::OkStatus();
}

/// The sampling positions of one axis of one box.
struct Axis {
  float start, step;
  int64_t in;
  Axis(float low, float high, int64_t in_size, int64_t crop) : in(in_size) {
    const auto reach = static_cast<float>(in_size - 1);
    start = crop > 1 ? low * reach : 0.5f * (low + high) * reach;
    step = crop > 1 ? (high - low) * reach / static_cast<float>(crop - 1) : 0.0f;
  }
  float at(int64_t i) const { return start + static_cast<float>(i) * step; }
  bool inside(float p) const { return p >= 0 && p <= static_cast<float>(in - 1); }
};

struct Crops {
  int64_t rows, cols, channels, in_rows, in_cols;
};

/// Calls fn(box, crop row, crop col, y, x) for every sample; y and x may lie outside or be NaN.
template <class Fn>
void each_sample(const Crops& s, const float* boxes, int64_t begin, int64_t end, Fn fn) {
  for (int64_t b = begin; b < end; ++b) {
    const float* box = boxes + b * 4;
    const Axis rows(box[0], box[2], s.in_rows, s.rows), cols(box[1], box[3], s.in_cols, s.cols);
    for (int64_t i = 0; i < s.rows; ++i) {
      const float y = rows.at(i);
      const bool y_inside = rows.inside(y);
      for (int64_t j = 0; j < s.cols; ++j) {
        const float x = cols.at(j);
        fn(b, i, j, y, x, y_inside && cols.inside(x));
      }
    }
  }
}

class CropAndResizeKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, CropAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &image = context.input(0), &boxes = context.input(1), &index = context.input(2),
                 &size = context.input(3);
    if (image.rank() != 4) {
      return absl::InvalidArgumentError(absl::StrCat("input image must be 4-D", image.shape().to_string()));
    }
    if (image.dim(1) <= 0 || image.dim(2) <= 0)
      return absl::InvalidArgumentError("image dimensions must be positive");
    if (size.rank() != 1) {
      return absl::InvalidArgumentError(absl::StrCat("crop_size must be 1-D", size.shape().to_string()));
    }
    if (size.dim(0) != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("crop_size must have two elements", size.shape().to_string()));
    }
    auto crop = size.flat<int32_t>();
    if (crop[0] <= 0 || crop[1] <= 0) return absl::InvalidArgumentError("crop dimensions must be positive");
    TROUPE_RETURN_IF_ERROR(check_boxes(boxes, index, image.dim(0)));
    const int64_t count = boxes.num_elements() == 0 ? 0 : boxes.dim(0);
    const Crops s{crop[0], crop[1], image.dim(3), image.dim(1), image.dim(2)};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{count, s.rows, s.cols, s.channels}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    std::vector<float> store;
    const float* in = as_floats(image, &store);
    float* to = out->flat<float>().data();
    auto box_index = index.flat<int32_t>();
    context.parallel().parallel_for(count, s.rows * s.cols * s.channels * 4, [&](int64_t begin, int64_t end) {
      each_sample(
          s, boxes.flat<float>().data(), begin, end,
          [&](int64_t b, int64_t i, int64_t j, float y, float x, bool inside) {
            float* pixel = to + ((b * s.rows + i) * s.cols + j) * s.channels;
            if (!inside) {
              std::fill_n(pixel, s.channels, attrs_.outside);
              return;
            }
            const float* from = in + box_index[static_cast<size_t>(b)] * s.in_rows * s.in_cols * s.channels;
            auto at = [&](float r, float c) {
              return from + (static_cast<int64_t>(r) * s.in_cols + static_cast<int64_t>(c)) * s.channels;
            };
            if (attrs_.nearest) {
              std::copy_n(at(std::round(y), std::round(x)), s.channels, pixel);
              return;
            }
            const float top = std::floor(y), bottom = std::ceil(y), left = std::floor(x),
                        right = std::ceil(x);
            const float dy = y - top, dx = x - left;
            const float *tl = at(top, left), *tr = at(top, right), *bl = at(bottom, left),
                        *br = at(bottom, right);
            for (int64_t c = 0; c < s.channels; ++c) {
              const float above = tl[c] + (tr[c] - tl[c]) * dx, below = bl[c] + (br[c] - bl[c]) * dx;
              pixel[c] = above + (below - above) * dy;
            }
          });
    });
    return absl::OkStatus();
  }

 private:
  CropAttrs attrs_;
};

class CropGradImageKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, CropAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &grads = context.input(0), &boxes = context.input(1), &index = context.input(2),
                 &size = context.input(3);
    if (grads.rank() != 4) {
      return absl::InvalidArgumentError(absl::StrCat("grads image must be 4-D", grads.shape().to_string()));
    }
    if (grads.dim(1) <= 0 || grads.dim(2) <= 0)
      return absl::InvalidArgumentError("grads dimensions must be positive");
    if (size.rank() != 1 || size.dim(0) != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("image_size must be 1-D with 4 elements", size.shape().to_string()));
    }
    auto dims = size.flat<int32_t>();
    const std::vector<int64_t> wanted(dims.begin(), dims.end());
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(wanted));
    if (dims[1] <= 0 || dims[2] <= 0) return absl::InvalidArgumentError("image dimensions must be positive");
    if (dims[3] != grads.dim(3)) {
      return absl::InvalidArgumentError("image_size and grads are incompatible");
    }
    TROUPE_RETURN_IF_ERROR(check_boxes(boxes, index, dims[0]));
    const int64_t count = boxes.num_elements() == 0 ? 0 : boxes.dim(0);
    if (grads.dim(0) != count) return absl::InvalidArgumentError("boxes and grads have incompatible shape");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    std::vector<float> sum(static_cast<size_t>(shape.num_elements()), 0.0f);
    const Crops s{grads.dim(1), grads.dim(2), grads.dim(3), shape.dim(1), shape.dim(2)};
    const float* from = grads.flat<float>().data();
    auto box_index = index.flat<int32_t>();
    each_sample(
        s, boxes.flat<float>().data(), 0, count,
        [&](int64_t b, int64_t i, int64_t j, float y, float x, bool inside) {
          if (!inside) return;
          const float* g = from + ((b * s.rows + i) * s.cols + j) * s.channels;
          float* image = sum.data() + box_index[static_cast<size_t>(b)] * s.in_rows * s.in_cols * s.channels;
          auto add = [&](float r, float c, float w) {
            float* to = image + (static_cast<int64_t>(r) * s.in_cols + static_cast<int64_t>(c)) * s.channels;
            for (int64_t k = 0; k < s.channels; ++k) to[k] += w * g[k];
          };
          if (attrs_.nearest) return add(std::round(y), std::round(x), 1.0f);
          const float top = std::floor(y), bottom = std::ceil(y), left = std::floor(x), right = std::ceil(x);
          const float dy = y - top, dx = x - left;
          add(top, left, (1 - dy) * (1 - dx));
          add(top, right, (1 - dy) * dx);
          add(bottom, left, dy * (1 - dx));
          add(bottom, right, dy * dx);
        });
    store_floats(sum, out);
    return absl::OkStatus();
  }

 private:
  CropAttrs attrs_;
};

absl::Status crop_grad_boxes(KernelContext& context) {
  const Tensor &grads = context.input(0), &image = context.input(1), &boxes = context.input(2),
               &index = context.input(3);
  if (grads.rank() != 4 || image.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("grads and image must be 4-D: ", grads.shape().to_string(),
                                                   " and ", image.shape().to_string()));
  }
  if (image.dim(1) <= 0 || image.dim(2) <= 0)
    return absl::InvalidArgumentError("image dimensions must be positive");
  if (image.dim(3) != grads.dim(3)) return absl::InvalidArgumentError("image, grads depth differ");
  TROUPE_RETURN_IF_ERROR(check_boxes(boxes, index, image.dim(0)));
  const int64_t count = boxes.num_elements() == 0 ? 0 : boxes.dim(0);
  if (grads.dim(0) != count) return absl::InvalidArgumentError("boxes and grads have incompatible shape");
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{count, 4}));
  std::span<float> to = out->flat<float>();
  std::fill(to.begin(), to.end(), 0.0f);
  std::vector<float> store;
  const float *in = as_floats(image, &store), *from = grads.flat<float>().data();
  const Crops s{grads.dim(1), grads.dim(2), grads.dim(3), image.dim(1), image.dim(2)};
  auto box_index = index.flat<int32_t>();
  const float row_reach = static_cast<float>(s.in_rows - 1), col_reach = static_cast<float>(s.in_cols - 1);
  each_sample(s, boxes.flat<float>().data(), 0, count,
              [&](int64_t b, int64_t i, int64_t j, float y, float x, bool inside) {
                if (!inside) return;
                const float row_ratio = s.rows > 1 ? row_reach / static_cast<float>(s.rows - 1) : 0;
                const float col_ratio = s.cols > 1 ? col_reach / static_cast<float>(s.cols - 1) : 0;
                const float* g = from + ((b * s.rows + i) * s.cols + j) * s.channels;
                const float* whole =
                    in + box_index[static_cast<size_t>(b)] * s.in_rows * s.in_cols * s.channels;
                auto at = [&](float r, float c) {
                  return whole + (static_cast<int64_t>(r) * s.in_cols + static_cast<int64_t>(c)) * s.channels;
                };
                const float top = std::floor(y), bottom = std::ceil(y), left = std::floor(x),
                            right = std::ceil(x);
                const float dy = y - top, dx = x - left;
                const float *tl = at(top, left), *tr = at(top, right), *bl = at(bottom, left),
                            *br = at(bottom, right);
                for (int64_t c = 0; c < s.channels; ++c) {
                  const float y_slope = ((1 - dx) * (bl[c] - tl[c]) + dx * (br[c] - tr[c])) * g[c];
                  const float x_slope = ((1 - dy) * (tr[c] - tl[c]) + dy * (br[c] - bl[c])) * g[c];
                  float* grad = to.data() + b * 4;
                  if (s.rows > 1) {
                    grad[0] += y_slope * (row_reach - static_cast<float>(i) * row_ratio);
                    grad[2] += y_slope * static_cast<float>(i) * row_ratio;
                  } else {
                    grad[0] += y_slope * 0.5f * row_reach;
                    grad[2] += y_slope * 0.5f * row_reach;
                  }
                  if (s.cols > 1) {
                    grad[1] += x_slope * (col_reach - static_cast<float>(j) * col_ratio);
                    grad[3] += x_slope * static_cast<float>(j) * col_ratio;
                  } else {
                    grad[1] += x_slope * 0.5f * col_reach;
                    grad[3] += x_slope * 0.5f * col_reach;
                  }
                }
              });
  return absl::OkStatus();
}

}  // namespace

void register_image_crop(KernelRegistry* r) {
  using D = DataType;
  r->add(KernelDef("CropAndResize").types("T", image_dtypes()).kernel<CropAndResizeKernel>());
  r->add(KernelDef("CropAndResizeGradImage")
             .types("T", {D::kFloat, D::kDouble, D::kHalf})
             .kernel<CropGradImageKernel>());
  r->add(KernelDef("CropAndResizeGradBoxes").types("T", image_dtypes()).fn(crop_grad_boxes));
}

}  // namespace troupe
