#pragma once

#include <cstdint>
#include <memory>

#include "devices/common/conv/conv_problem.h"
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
