// Pictures resized, and the gradients of that.
#include "devices/cuda/kernels/image_args.h"
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

TROUPE_DEVICE int64_t clamped(int64_t v, int64_t size) { return v < 0 ? 0 : v >= size ? size - 1 : v; }

/// Two input pixels along one axis and their weights.
struct LinearTaps {
  int64_t at[2];
  float weight[2];
};
TROUPE_DEVICE LinearTaps linear_taps(const ResizeArgs& a, int64_t x, float scale, int64_t in) {
  const float at =
      a.half_pixel_centers ? (static_cast<float>(x) + 0.5F) * scale - 0.5F : static_cast<float>(x) * scale;
  const float low = std::floor(at);
  LinearTaps taps;
  taps.at[0] = clamped(static_cast<int64_t>(low), in);
  taps.at[1] = clamped(static_cast<int64_t>(std::ceil(at)), in);
  taps.weight[0] = 1 - (at - low);
  taps.weight[1] = at - low;
  return taps;
}

TROUPE_DEVICE int64_t nearest(const ResizeArgs& a, int64_t x, float scale, int64_t in) {
  const float at =
      a.half_pixel_centers ? (static_cast<float>(x) + 0.5F) * scale : static_cast<float>(x) * scale;
  return clamped(static_cast<int64_t>(a.align_corners ? std::round(at) : std::floor(at)), in);
}

/// The output pixels that may come from input pixel `x`, generously: [first, last).
TROUPE_DEVICE void reached_from(int64_t x, float scale, int64_t in, int64_t out, int64_t* first,
                                int64_t* last) {
  *first = 0;
  *last = out;
  if (scale <= 0) return;
  if (x > 0) {
    const int64_t low = static_cast<int64_t>(std::floor(static_cast<float>(x - 2) / scale)) - 2;
    *first = low < 0 ? 0 : low;
  }
  if (x < in - 1) {
    const int64_t high = static_cast<int64_t>(std::ceil(static_cast<float>(x + 2) / scale)) + 2;
    *last = high > out ? out : high;
  }
}

template <class T>
TROUPE_DEVICE_ONLY void resize_bilinear(const ResizeArgs& a, const T* in, float* out, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i;
    const int64_t c = take_coordinate(&rest, a.channels), x = take_coordinate(&rest, a.cols),
                  y = take_coordinate(&rest, a.rows);
    const LinearTaps rows = linear_taps(a, y, a.row_scale, a.in_rows),
                     cols = linear_taps(a, x, a.col_scale, a.in_cols);
    const T* image = in + rest * a.in_rows * a.in_cols * a.channels + c;
    float sum = 0;
    for (int q = 0; q < 2; ++q) {
      if (cols.weight[q] == 0) continue;
      float line = 0;
      for (int p = 0; p < 2; ++p) {
        if (rows.weight[p] == 0) continue;
        line +=
            rows.weight[p] * static_cast<float>(image[(rows.at[p] * a.in_cols + cols.at[q]) * a.channels]);
      }
      sum += cols.weight[q] * line;
    }
    out[i] = sum;
  }
}

/// Each input pixel collects from the output pixels that it is part of.
template <class T>
TROUPE_DEVICE_ONLY void resize_bilinear_grad(const ResizeArgs& a, const float* grad, T* out, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i;
    const int64_t c = take_coordinate(&rest, a.channels), x = take_coordinate(&rest, a.in_cols),
                  y = take_coordinate(&rest, a.in_rows);
    const float* image = grad + rest * a.rows * a.cols * a.channels + c;
    int64_t first_row, last_row, first_col, last_col;
    reached_from(y, a.row_scale, a.in_rows, a.rows, &first_row, &last_row);
    reached_from(x, a.col_scale, a.in_cols, a.cols, &first_col, &last_col);
    double sum = 0;
    for (int64_t r = first_row; r < last_row; ++r) {
      const LinearTaps rows = linear_taps(a, r, a.row_scale, a.in_rows);
      for (int64_t s = first_col; s < last_col; ++s) {
        const LinearTaps cols = linear_taps(a, s, a.col_scale, a.in_cols);
        for (int p = 0; p < 2; ++p) {
          for (int q = 0; q < 2; ++q) {
            if (rows.at[p] != y || cols.at[q] != x) continue;
            sum +=
                static_cast<double>(image[(r * a.cols + s) * a.channels] * rows.weight[p] * cols.weight[q]);
          }
        }
      }
    }
    out[i] = static_cast<T>(static_cast<compute_t<T>>(sum));
  }
}

template <class T>
TROUPE_DEVICE_ONLY void resize_nearest(const ResizeArgs& a, const T* in, T* out, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i;
    const int64_t c = take_coordinate(&rest, a.channels), x = take_coordinate(&rest, a.cols),
                  y = take_coordinate(&rest, a.rows);
    const int64_t row = nearest(a, y, a.row_scale, a.in_rows), col = nearest(a, x, a.col_scale, a.in_cols);
    out[i] = in[((rest * a.in_rows + row) * a.in_cols + col) * a.channels + c];
  }
}

template <class T>
TROUPE_DEVICE_ONLY void resize_nearest_grad(const ResizeArgs& a, const T* grad, T* out, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t rest = i;
    const int64_t c = take_coordinate(&rest, a.channels), x = take_coordinate(&rest, a.in_cols),
                  y = take_coordinate(&rest, a.in_rows);
    const T* image = grad + rest * a.rows * a.cols * a.channels + c;
    int64_t first_row, last_row, first_col, last_col;
    reached_from(y, a.row_scale, a.in_rows, a.rows, &first_row, &last_row);
    reached_from(x, a.col_scale, a.in_cols, a.cols, &first_col, &last_col);
    compute_t<T> sum = 0;
    for (int64_t r = first_row; r < last_row; ++r) {
      if (nearest(a, r, a.row_scale, a.in_rows) != y) continue;
      for (int64_t s = first_col; s < last_col; ++s) {
        if (nearest(a, s, a.col_scale, a.in_cols) != x) continue;
        sum += static_cast<compute_t<T>>(image[(r * a.cols + s) * a.channels]);
      }
    }
    out[i] = static_cast<T>(sum);
  }
}

}  // namespace
}  // namespace troupe::launchable

using namespace troupe;  // NOLINT: kernels are written at the top

#define TROUPE_RESIZE(suffix, T)                                                                       \
  TROUPE_KERNEL(resize_bilinear_##suffix, (ResizeArgs a, const T* in, float* out, int64_t n)) {        \
    resize_bilinear(a, in, out, n);                                                                    \
  }                                                                                                    \
  TROUPE_KERNEL(resize_bilinear_grad_##suffix, (ResizeArgs a, const float* grad, T* out, int64_t n)) { \
    resize_bilinear_grad(a, grad, out, n);                                                             \
  }                                                                                                    \
  TROUPE_KERNEL(resize_nearest_grad_##suffix, (ResizeArgs a, const T* grad, T* out, int64_t n)) {      \
    resize_nearest_grad(a, grad, out, n);                                                              \
  }
TROUPE_EACH_FLOAT(TROUPE_RESIZE)

#define TROUPE_RESIZE_NEAREST(size, T)                                                   \
  TROUPE_KERNEL(resize_nearest_##size, (ResizeArgs a, const T* in, T* out, int64_t n)) { \
    resize_nearest(a, in, out, n);                                                       \
  }
TROUPE_EACH_SIZE(TROUPE_RESIZE_NEAREST)
