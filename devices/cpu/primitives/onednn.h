#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "devices/device.h"
#include "graph/status.h"

namespace troupe::onednn {

/// The one page that talks to oneDNN. Debian's build of it spins an OpenMP team, so every call here runs on one
/// OpenMP thread; what is worth several threads is cut into blocks that go through a ParallelRunner. All functions
/// are thread-safe, keep no reference to their arguments, and turn oneDNN's exceptions into absl::Status.

/// C[m,n] = alpha * op(A) * op(B) + beta * C, all row-major with leading dimensions lda, ldb, ldc, on the calling
/// thread. op transposes when its flag is set.
void sgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
           int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);

/// A convolution of two or three spatial dimensions as TensorFlow sees it: filter [spatial..., in / groups, out].
/// No extent may be zero, and every output position must agree with extents, strides, dilations and padding.
struct ConvProblem {
  int64_t spatial_rank = 2;
  /// Images are [batch, spatial..., channels] or [batch, channels, spatial...].
  int64_t channels_last = 1;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  std::array<int64_t, 3> in = {1, 1, 1};
  std::array<int64_t, 3> out = {1, 1, 1};
  std::array<int64_t, 3> kernel = {1, 1, 1};
  std::array<int64_t, 3> stride = {1, 1, 1};
  /// 1: dense, as TensorFlow counts.
  std::array<int64_t, 3> dilation = {1, 1, 1};
  std::array<int64_t, 3> pad_before = {0, 0, 0};
  std::array<int64_t, 3> pad_after = {0, 0, 0};

  friend bool operator==(const ConvProblem&, const ConvProblem&) = default;
  template <class H>
  friend H AbslHashValue(H h, const ConvProblem& p) {
    return H::combine(std::move(h), p.spatial_rank, p.channels_last, p.batch, p.in_channels, p.out_channels,
                      p.groups, p.in, p.out, p.kernel, p.stride, p.dilation, p.pad_before, p.pad_after);
  }
  int64_t in_image() const { return in[0] * in[1] * in[2] * in_channels; }
  int64_t out_image() const { return out[0] * out[1] * out[2] * out_channels; }
  int64_t filter_size() const {
    return kernel[0] * kernel[1] * kernel[2] * (in_channels / groups) * out_channels;
  }
  /// Multiplications and additions of one image.
  double flops_per_image() const {
    return 2.0 * static_cast<double>(out_image()) * kernel[0] * kernel[1] * kernel[2] *
           (in_channels / groups);
  }
};

/// Copies of one filter in the layouts that oneDNN wants. Belongs to whoever knows that the filter does not change: a
/// kernel whose filter is a constant. Thread-safe.
class PackedFilter {
 public:
  PackedFilter();
  ~PackedFilter();

 private:
  friend struct FilterPacker;
  struct Copies;
  std::unique_ptr<Copies> copies_;
};

/// output = input (*) filter, plus bias[out_channels] unless it is null. `packed` may be null; otherwise it must have
/// been used with this filter only.
absl::Status conv_forward(const ConvProblem& p, ParallelRunner& runner, const float* input,
                          const float* filter, const float* bias, float* output,
                          PackedFilter* packed = nullptr);
/// Gradient with respect to the input.
absl::Status conv_backward_input(const ConvProblem& p, ParallelRunner& runner, const float* filter,
                                 const float* out_backprop, float* in_backprop);
/// Gradient with respect to the filter.
absl::Status conv_backward_filter(const ConvProblem& p, ParallelRunner& runner, const float* input,
                                  const float* out_backprop, float* filter_backprop);

/// Primitives now in the cache: for tests.
int64_t cached_primitives();

}  // namespace troupe::onednn
