// Pictures resized: bilinear, bicubic, by area, by nearest neighbours.
#include <Eigen/Core>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/dtypes.h"
#include "devices/common/image/resize.h"
#include "devices/cpu/kernels/shared/float_elements.h"

namespace troupe {
namespace {

/// Weighted sums over rows and columns of taps.
template <size_t N>
void interpolate(ParallelRunner& runner, const Sizes& s, const std::vector<Taps<N>>& rows,
                 const std::vector<Taps<N>>& cols, const float* in, float* out) {
  runner.parallel_for(s.batch * s.rows, s.cols * s.channels * static_cast<int64_t>(N) * 2,
                      [&](int64_t begin, int64_t end) {
                        std::vector<float> line(static_cast<size_t>(s.in_cols * s.channels));
                        for (int64_t r = begin; r < end; ++r) {
                          const float* image = in + r / s.rows * s.in_rows * s.in_cols * s.channels;
                          const Taps<N>& row = rows[static_cast<size_t>(r % s.rows)];
                          // One line of the input's width, then the line narrowed or widened.
                          std::fill(line.begin(), line.end(), 0.0f);
                          for (size_t k = 0; k < N; ++k) {
                            const float* from = image + row.at[k] * s.in_cols * s.channels;
                            const float w = row.weight[k];
                            if (w == 0) continue;
                            for (size_t i = 0; i < line.size(); ++i) line[i] += w * from[i];
                          }
                          float* to = out + r * s.cols * s.channels;
                          for (int64_t x = 0; x < s.cols; ++x, to += s.channels) {
                            const Taps<N>& col = cols[static_cast<size_t>(x)];
                            std::fill_n(to, s.channels, 0.0f);
                            for (size_t k = 0; k < N; ++k) {
                              const float* from = line.data() + col.at[k] * s.channels;
                              const float w = col.weight[k];
                              if (w == 0) continue;
                              for (int64_t c = 0; c < s.channels; ++c) to[c] += w * from[c];
                            }
                          }
                        }
                      });
}

/// Each output pixel from N rows and N columns around it.
template <int N, std::vector<Taps<N>> (*taps)(const ResizeAttrs&, int64_t, int64_t)>
class InterpolateKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check_sizes(context.input(0), context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    std::vector<float> store;
    const float* in = as_floats(context.input(0), &store);
    if (out->num_elements() == 0) return absl::OkStatus();
    interpolate<N>(context.parallel(), s, taps(attrs_, s.in_rows, s.rows), taps(attrs_, s.in_cols, s.cols),
                   in, out->flat<float>().data());
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

/// The stretch of input pixels that output pixel i covers, with the share of each.
struct Stretch {
  int64_t first;
  std::vector<float> weight;
};

std::vector<Stretch> area_stretches(float scale, int64_t out) {
  std::vector<Stretch> stretches(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const float begin = static_cast<float>(i) * scale, end = static_cast<float>(i + 1) * scale;
    Stretch& s = stretches[static_cast<size_t>(i)];
    s.first = static_cast<int64_t>(std::floor(begin));
    const auto last = static_cast<int64_t>(std::ceil(end));
    for (int64_t p = s.first; p < last; ++p) {
      const auto left = static_cast<float>(p), right = static_cast<float>(p + 1);
      s.weight.push_back(left < begin ? (right > end ? scale : right - begin)
                                      : (right > end ? end - left : 1.0f));
    }
  }
  return stretches;
}

class ResizeAreaKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check_sizes(context.input(0), context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    std::vector<float> store;
    const float* in = as_floats(context.input(0), &store);
    if (out->num_elements() == 0) return absl::OkStatus();
    float row_scale = attrs_.scale(s.in_rows, s.rows), col_scale = attrs_.scale(s.in_cols, s.cols);
    // With aligned corners one pixel is spread over all: each takes it whole.
    if (row_scale == 0) row_scale = 1;
    if (col_scale == 0) col_scale = 1;
    const std::vector<Stretch> rows = area_stretches(row_scale, s.rows),
                               cols = area_stretches(col_scale, s.cols);
    const float share = 1.0f / (row_scale * col_scale);
    float* to = out->flat<float>().data();
    context.parallel().parallel_for(
        s.batch * s.rows, s.cols * s.channels * 8, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            const float* image = in + r / s.rows * s.in_rows * s.in_cols * s.channels;
            const Stretch& row = rows[static_cast<size_t>(r % s.rows)];
            for (int64_t x = 0; x < s.cols; ++x) {
              const Stretch& col = cols[static_cast<size_t>(x)];
              float* pixel = to + (r * s.cols + x) * s.channels;
              std::fill_n(pixel, s.channels, 0.0f);
              for (size_t i = 0; i < row.weight.size(); ++i) {
                const int64_t y = std::clamp<int64_t>(row.first + static_cast<int64_t>(i), 0, s.in_rows - 1);
                for (size_t j = 0; j < col.weight.size(); ++j) {
                  const int64_t at =
                      std::clamp<int64_t>(col.first + static_cast<int64_t>(j), 0, s.in_cols - 1);
                  const float w = row.weight[i] * col.weight[j] * share;
                  const float* from = image + (y * s.in_cols + at) * s.channels;
                  for (int64_t c = 0; c < s.channels; ++c) pixel[c] += w * from[c];
                }
              }
            }
          }
        });
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

/// Nearest neighbours are copied without a look at the dtype.
class ResizeNearestKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& image = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check_sizes(image, context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    if (out->num_elements() == 0) return absl::OkStatus();
    const float row_scale = attrs_.scale(s.in_rows, s.rows), col_scale = attrs_.scale(s.in_cols, s.cols);
    const size_t pixel = static_cast<size_t>(s.channels) * dtype_size(image.dtype());
    const char* from = static_cast<const char*>(image.raw());
    char* to = static_cast<char*>(out->raw());
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t y = 0; y < s.rows; ++y) {
        const int64_t row = b * s.in_rows + attrs_.nearest(y, row_scale, s.in_rows);
        for (int64_t x = 0; x < s.cols; ++x, to += pixel) {
          const int64_t at = row * s.in_cols + attrs_.nearest(x, col_scale, s.in_cols);
          std::memcpy(to, from + static_cast<size_t>(at) * pixel, pixel);
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

}  // namespace

void register_image_resize(KernelRegistry* r) {
  r->add(KernelDef("ResizeBilinear").types("T", image_dtypes()).kernel<InterpolateKernel<2, linear_taps>>());
  r->add(KernelDef("ResizeBicubic").types("T", image_dtypes()).kernel<InterpolateKernel<4, cubic_taps>>());
  r->add(KernelDef("ResizeArea").types("T", image_dtypes()).kernel<ResizeAreaKernel>());
  r->add(KernelDef("ResizeNearestNeighbor").types("T", image_dtypes()).kernel<ResizeNearestKernel>());
}

}  // namespace troupe
