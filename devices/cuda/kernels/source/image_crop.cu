// Boxes cut out of pictures and resized, and the gradients of that. Boxes of a picture that there is none of are passed over.
#include "devices/cuda/kernels/image_args.h"
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

/// Where a crop's pixel is sampled; the four pixels around that.
struct Sample {
  bool inside;
  float y, x;
  int64_t top, bottom, left, right;
};

TROUPE_DEVICE float position(float low, float high, int64_t in, int64_t crop, int64_t i) {
  const auto reach = static_cast<float>(in - 1);
  if (crop <= 1) return 0.5F * (low + high) * reach;
  return low * reach + static_cast<float>(i) * ((high - low) * reach / static_cast<float>(crop - 1));
}

TROUPE_DEVICE Sample sample_at(const CropArgs& a, const float* box, int64_t row, int64_t col) {
  Sample s = {};
  s.y = position(box[0], box[2], a.in_rows, a.rows, row);
  s.x = position(box[1], box[3], a.in_cols, a.cols, col);
  s.inside = s.y >= 0 && s.y <= static_cast<float>(a.in_rows - 1) && s.x >= 0 &&
             s.x <= static_cast<float>(a.in_cols - 1);
  if (!s.inside) return s;
  s.top = static_cast<int64_t>(std::floor(s.y));
  s.bottom = static_cast<int64_t>(std::ceil(s.y));
  s.left = static_cast<int64_t>(std::floor(s.x));
  s.right = static_cast<int64_t>(std::ceil(s.x));
  return s;
}

template <class T>
TROUPE_DEVICE_ONLY void crop_and_resize(const CropArgs& a, const T* images, const float* boxes,
                                        const int32_t* box_index, float* out, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t box = i;
    const int64_t c = take_coordinate(&box, a.channels), col = take_coordinate(&box, a.cols),
                  row = take_coordinate(&box, a.rows);
    const int64_t picture = box_index[box];
    const Sample s = sample_at(a, boxes + box * 4, row, col);
    if (!s.inside || picture < 0 || picture >= a.batch) {
      out[i] = a.outside;
      continue;
    }
    const T* image = images + picture * a.in_rows * a.in_cols * a.channels + c;
    auto at = [&](int64_t y, int64_t x) {
      return static_cast<float>(image[(y * a.in_cols + x) * a.channels]);
    };
    if (a.nearest) {
      out[i] = at(static_cast<int64_t>(std::round(s.y)), static_cast<int64_t>(std::round(s.x)));
      continue;
    }
    const float dy = s.y - static_cast<float>(s.top), dx = s.x - static_cast<float>(s.left);
    const float tl = at(s.top, s.left), tr = at(s.top, s.right), bl = at(s.bottom, s.left),
                br = at(s.bottom, s.right);
    const float above = tl + (tr - tl) * dx, below = bl + (br - bl) * dx;
    out[i] = above + (below - above) * dy;
  }
}

/// Adds to `sums`, in any order.
TROUPE_DEVICE_ONLY void crop_grad_image(const CropArgs& a, const float* grads, const float* boxes,
                                        const int32_t* box_index, float* sums, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t box = i;
    const int64_t c = take_coordinate(&box, a.channels), col = take_coordinate(&box, a.cols),
                  row = take_coordinate(&box, a.rows);
    const int64_t picture = box_index[box];
    const Sample s = sample_at(a, boxes + box * 4, row, col);
    if (!s.inside || picture < 0 || picture >= a.batch) continue;
    float* image = sums + picture * a.in_rows * a.in_cols * a.channels + c;
    auto add = [&](int64_t y, int64_t x, float weight) {
      atomic_add(image + (y * a.in_cols + x) * a.channels, weight * grads[i]);
    };
    if (a.nearest) {
      add(static_cast<int64_t>(std::round(s.y)), static_cast<int64_t>(std::round(s.x)), 1.0F);
      continue;
    }
    const float dy = s.y - static_cast<float>(s.top), dx = s.x - static_cast<float>(s.left);
    add(s.top, s.left, (1 - dy) * (1 - dx));
    add(s.top, s.right, (1 - dy) * dx);
    add(s.bottom, s.left, dy * (1 - dx));
    add(s.bottom, s.right, dy * dx);
  }
}

/// A box a block.
template <class T>
TROUPE_DEVICE_ONLY void crop_grad_boxes(const CropArgs& a, const float* grads, const T* images,
                                        const float* boxes, const int32_t* box_index, float* out,
                                        int64_t count) {
  const auto row_reach = static_cast<float>(a.in_rows - 1), col_reach = static_cast<float>(a.in_cols - 1);
  const float row_ratio = a.rows > 1 ? row_reach / static_cast<float>(a.rows - 1) : 0;
  const float col_ratio = a.cols > 1 ? col_reach / static_cast<float>(a.cols - 1) : 0;
  const int64_t per_box = a.rows * a.cols * a.channels;
  TROUPE_FOR_BLOCKS(box, count) {
    const int64_t picture = box_index[box];
    float sums[4] = {};
    TROUPE_FOR_THREADS(i, picture >= 0 && picture < a.batch ? per_box : 0) {
      int64_t rest = i;
      const int64_t c = take_coordinate(&rest, a.channels), col = take_coordinate(&rest, a.cols), row = rest;
      const Sample s = sample_at(a, boxes + box * 4, row, col);
      if (!s.inside) continue;
      const T* image = images + picture * a.in_rows * a.in_cols * a.channels + c;
      auto at = [&](int64_t y, int64_t x) {
        return static_cast<float>(image[(y * a.in_cols + x) * a.channels]);
      };
      const float g = grads[box * per_box + i];
      const float dy = s.y - static_cast<float>(s.top), dx = s.x - static_cast<float>(s.left);
      const float tl = at(s.top, s.left), tr = at(s.top, s.right), bl = at(s.bottom, s.left),
                  br = at(s.bottom, s.right);
      const float y_slope = ((1 - dx) * (bl - tl) + dx * (br - tr)) * g,
                  x_slope = ((1 - dy) * (tr - tl) + dy * (br - bl)) * g;
      const float down = static_cast<float>(row) * row_ratio, across = static_cast<float>(col) * col_ratio;
      sums[0] += y_slope * (a.rows > 1 ? row_reach - down : 0.5F * row_reach);
      sums[1] += x_slope * (a.cols > 1 ? col_reach - across : 0.5F * col_reach);
      sums[2] += y_slope * (a.rows > 1 ? down : 0.5F * row_reach);
      sums[3] += x_slope * (a.cols > 1 ? across : 0.5F * col_reach);
    }
    for (int k = 0; k < 4; ++k) {
      const float sum = block_sum(sums[k]);
      if (thread_index() == 0) out[box * 4 + k] = sum;
    }
  }
}

}  // namespace
}  // namespace troupe::launchable

using namespace troupe;  // NOLINT: kernels are written at the top

#define TROUPE_CROP(suffix, T)                                                                 \
  TROUPE_KERNEL(crop_and_resize_##suffix, (CropArgs a, const T* images, const float* boxes,    \
                                           const int32_t* box_index, float* out, int64_t n)) { \
    crop_and_resize(a, images, boxes, box_index, out, n);                                      \
  }                                                                                            \
  TROUPE_KERNEL(crop_grad_boxes_##suffix,                                                      \
                (CropArgs a, const float* grads, const T* images, const float* boxes,          \
                 const int32_t* box_index, float* out, int64_t count)) {                       \
    crop_grad_boxes(a, grads, images, boxes, box_index, out, count);                           \
  }                                                                                            \
  TROUPE_KERNEL(narrow_sums_##suffix, (const float* sums, T* out, int64_t n)) {                \
    TROUPE_FOR_EACH(i, n) { out[i] = static_cast<T>(sums[i]); }                                \
  }
TROUPE_EACH_FLOAT(TROUPE_CROP)

TROUPE_KERNEL(crop_grad_image_f32, (CropArgs a, const float* grads, const float* boxes,
                                    const int32_t* box_index, float* sums, int64_t n)) {
  crop_grad_image(a, grads, boxes, box_index, sums, n);
}
