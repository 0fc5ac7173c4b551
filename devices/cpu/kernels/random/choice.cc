// Random choices: classes by their logits, and orders of rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/random/fill.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

template <class T>
void draw_row(const T* logits, int64_t classes, int64_t num_samples, PhiloxStream& next,
              std::vector<double>& sums, int64_t at, Tensor* out) {
  double highest = -std::numeric_limits<double>::infinity();
  for (int64_t c = 0; c < classes; ++c) {
    const double v = static_cast<double>(logits[c]);
    if (std::isfinite(v)) highest = std::max(highest, v);
  }
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) {
    const double v = static_cast<double>(logits[c]);
    if (std::isfinite(v)) sum += std::exp(v - highest);
    sums[static_cast<size_t>(c)] = sum;
  }
  for (int64_t i = 0; i < num_samples; ++i) {
    const uint32_t high = next();
    const double wanted = uniform_double(high, next()) * sum;
    set_int(out, at + i, std::upper_bound(sums.begin(), sums.end(), wanted) - sums.begin());
  }
}

template <class T>
void draw(Philox generator, const Tensor& logits, int64_t num_samples, Tensor* out) {
  const int64_t classes = logits.dim(1);
  std::vector<double> sums(static_cast<size_t>(classes));
  PhiloxStream next(&generator);
  for (int64_t row = 0; row < logits.dim(0); ++row) {
    draw_row(logits.flat<T>().data() + row * classes, classes, num_samples, next, sums, row * num_samples,
             out);
  }
}

}  // namespace

absl::StatusOr<int64_t> check_multinomial(const Tensor& logits, const Tensor& num_samples) {
  if (logits.rank() != 2) return invalid("logits should be a matrix, got shape ", logits.shape().to_string());
  if (num_samples.rank() != 0) {
    return invalid("num_samples should be a scalar, got shape ", num_samples.shape().to_string());
  }
  const int64_t n = num_samples.value<int32_t>();
  if (n < 0) return invalid("num_samples should be non-negative, got ", n);
  for (int i = 0; i < 2; ++i) {
    if (logits.dim(i) > std::numeric_limits<int32_t>::max()) {
      return invalid("logits.shape = ", logits.shape().to_string(), " too large for int");
    }
  }
  if (logits.dim(1) <= 0) return invalid("num_classes should be positive, got ", logits.dim(1));
  return n;
}

absl::Status fill_multinomial(Philox generator, const Tensor& logits, int64_t num_samples, Tensor* out) {
  switch (logits.dtype()) {
    case DataType::kFloat: draw<float>(generator, logits, num_samples, out); break;
    case DataType::kDouble: draw<double>(generator, logits, num_samples, out); break;
    case DataType::kHalf: draw<Eigen::half>(generator, logits, num_samples, out); break;
    case DataType::kBfloat16: draw<Eigen::bfloat16>(generator, logits, num_samples, out); break;
    default: return invalid("logits must be floats, not ", dtype_name(logits.dtype()));
  }
  return absl::OkStatus();
}

absl::Status shuffle_rows(KernelContext& context, Philox generator, const Tensor& in) {
  const int64_t rows = in.dim(0);
  const int64_t row = in.shape().num_elements(1, in.rank());
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  PhiloxStream next(&generator);
  for (int64_t i = 0; i + 1 < rows; ++i) {
    std::swap(order[i], order[i + next() % static_cast<uint32_t>(rows - i)]);
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
  for (int64_t i = 0; i < rows; ++i) copy_elements(in, order[i] * row, *out, i * row, row);
  return absl::OkStatus();
}

}  // namespace troupe
