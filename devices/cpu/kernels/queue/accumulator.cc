#include "devices/cpu/kernels/queue/accumulator.h"

#include <Eigen/Core>
#include <limits>
#include <utility>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/combine.h"

namespace troupe {
namespace {

/// Divides row i of the first dimension by divisors[i], for the dtypes that accumulators have.
void divide_rows(Tensor* t, const std::vector<int64_t>& divisors) {
  const auto by = [&](auto zero) {
    using T = decltype(zero);
    const auto all = t->flat<T>();
    const size_t row = divisors.empty() ? 0 : all.size() / divisors.size();
    for (size_t i = 0; i < divisors.size(); ++i) {
      const T d = static_cast<T>(static_cast<float>(divisors[i]));
      for (size_t k = 0; k < row; ++k) all[i * row + k] = all[i * row + k] / d;
    }
  };
  switch (t->dtype()) {
    case DataType::kFloat: return by(float());
    case DataType::kDouble: return by(double());
    case DataType::kHalf: return by(Eigen::half());
    default: return;
  }
}

absl::StatusOr<Tensor> copy_of(const Tensor& t, int64_t offset, const Shape& shape) {
  TROUPE_ASSIGN_OR_RETURN(Tensor copy, Tensor::make(t.dtype(), shape));
  copy_elements(t, offset, copy, 0, copy.num_elements());
  return copy;
}

}  // namespace

absl::Status GradientAccumulator::apply(int64_t local_step, const Tensor& gradient) {
  {
    std::lock_guard lock(mu_);
    if (local_step < global_step_) return absl::OkStatus();
    if (count_ > 0 && !(sum_.shape() == gradient.shape())) {
      return invalid("Shape mismatch: expected ", sum_.shape().to_string(), ", got ",
                     gradient.shape().to_string());
    }
    if (!options_.shape.compatible_with(gradient.shape())) {
      return invalid("Shape mismatch: expected ", options_.shape.to_string(), ", got ",
                     gradient.shape().to_string());
    }
    if (count_ == 0) {
      TROUPE_ASSIGN_OR_RETURN(sum_, copy_of(gradient, 0, gradient.shape()));
    } else {
      combine_loop(Combine::kAdd, options_.dtype)(sum_.raw(), gradient.raw(), gradient.num_elements());
    }
    ++count_;
  }
  waiters_->serve();
  return absl::OkStatus();
}

absl::Status GradientAccumulator::check_slices(const Slices& g, bool has_known_shape) const {
  if (!is_vector(g.indices))
    return invalid("Input indices should be vector but received shape: ", g.indices.shape().to_string());
  if (g.values.rank() < 1) return invalid("Values cannot be 0-dimensional.");
  if (g.values.dim(0) != g.indices.num_elements()) {
    return invalid("Expected ", g.indices.num_elements(), " non-empty input values, got ", g.values.dim(0));
  }
  const PartialShape& shape = options_.shape;
  const int rank = shape.known_rank() ? shape.rank() : 0;
  if (has_known_shape) {
    if (rank > g.shape.num_elements()) {
      return invalid("Shape mismatch: expected shape rank at least ", rank, ", got ", g.shape.num_elements());
    }
    for (int i = 0; i < rank; ++i) {
      const int64_t size = g.shape.flat<int64_t>()[i];
      if (shape.dim(i) >= 0 && shape.dim(i) != size) {
        return invalid("Shape mismatch: expected shape dim ", i, " to be ", shape.dim(i), ", got ", size);
      }
    }
  }
  const int64_t limit = rank > 0 ? shape.dim(0) : -1;
  for (int64_t i = 0; limit >= 0 && i < g.indices.num_elements(); ++i) {
    const int64_t index = g.indices.flat<int64_t>()[i];
    if (index >= limit) {
      return invalid("Shape mismatch: index of slice ", i, " exceeded limits of shape; index is ", index,
                     " exceeded ", limit);
    }
  }
  return check_values(g.values);
}

absl::Status GradientAccumulator::check_values(const Tensor& values) const {
  const PartialShape& shape = options_.shape;
  const int rank = shape.known_rank() ? shape.rank() : 0;
  if (count_ > 0 && values_.rank() != values.rank()) {
    return invalid("Shape mismatch: expected values rank ", values_.rank(), ", got ", values.rank());
  }
  if (count_ == 0 && rank > values.rank()) {
    return invalid("Shape mismatch: expected values rank at least ", rank, ", got ", values.rank());
  }
  for (int i = 1; i < values.rank(); ++i) {
    const int64_t wanted = count_ > 0 ? values_.dim(i) : i < rank ? shape.dim(i) : -1;
    if (wanted >= 0 && wanted != values.dim(i)) {
      return invalid("Shape mismatch: expected values dim ", i, " to be ", wanted, ", got ", values.dim(i));
    }
  }
  return absl::OkStatus();
}

absl::Status GradientAccumulator::apply_slices(int64_t local_step, const Slices& g, bool has_known_shape) {
  {
    std::lock_guard lock(mu_);
    if (local_step < global_step_) return absl::OkStatus();
    TROUPE_RETURN_IF_ERROR(check_slices(g, has_known_shape));
    if (count_ == 0) {
      TROUPE_ASSIGN_OR_RETURN(values_, copy_of(g.values, 0, g.values.shape()));
      const auto indices = g.indices.flat<int64_t>();
      indices_.assign(indices.begin(), indices.end());
      counts_.assign(indices_.size(), 1);
    } else {
      TROUPE_RETURN_IF_ERROR(merge_slices(g));
    }
    ++count_;
  }
  waiters_->serve();
  return absl::OkStatus();
}

/// One pass over both, as over sorted lists: what is not sorted, or holds an index twice, stays so.
absl::Status GradientAccumulator::merge_slices(const Slices& g) {
  const auto theirs = g.indices.flat<int64_t>();
  const size_t n = indices_.size(), m = theirs.size();
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  std::vector<std::pair<size_t, size_t>> sources;
  sources.reserve(n + m);
  for (size_t i = 0, j = 0; i < n || j < m;) {
    const bool own = j == m || (i < n && indices_[i] <= theirs[j]);
    const bool other = i == n || (j < m && theirs[j] <= indices_[i]);
    sources.emplace_back(own ? i++ : kNone, other ? j++ : kNone);
  }
  Shape shape = g.values.shape();
  shape.remove_dim(0);
  const int64_t row = shape.num_elements();
  shape.insert_dim(0, static_cast<int64_t>(sources.size()));
  TROUPE_ASSIGN_OR_RETURN(Tensor values, Tensor::make(options_.dtype, shape));
  std::vector<int64_t> indices, counts;
  int64_t to = 0;
  for (const auto& [i, j] : sources) {
    const int64_t from = static_cast<int64_t>(i != kNone ? i : j) * row;
    copy_elements(i != kNone ? values_ : g.values, from, values, to, row);
    if (i != kNone && j != kNone) {
      combine_loop(Combine::kAdd, options_.dtype)(element_at(values, to),
                                                  element_at(g.values, static_cast<int64_t>(j) * row), row);
    }
    indices.push_back(i != kNone ? indices_[i] : theirs[j]);
    counts.push_back((i != kNone ? counts_[i] : 0) + (j != kNone ? 1 : 0));
    to += row;
  }
  values_ = std::move(values);
  indices_ = std::move(indices);
  counts_ = std::move(counts);
  return absl::OkStatus();
}

absl::StatusOr<GradientAccumulator::Slices> GradientAccumulator::finish_slices() {
  Slices result;
  const int64_t n = static_cast<int64_t>(indices_.size());
  result.indices = Tensor::from<int64_t>(Shape{n}, indices_);
  if (options_.mean) divide_rows(&values_, counts_);
  std::vector<int64_t> dims = values_.shape().to_vector();
  const PartialShape& own = options_.shape;
  dims[0] = own.known_rank() && own.rank() > 0 ? own.dim(0) : -1;
  result.shape = Tensor::from<int64_t>(Shape{static_cast<int64_t>(dims.size())}, dims);
  result.values = std::move(values_);
  return result;
}

absl::StatusOr<GradientAccumulator::Slices> GradientAccumulator::finish() {
  Slices result;
  if (options_.sparse) {
    TROUPE_ASSIGN_OR_RETURN(result, finish_slices());
  } else {
    result.values = std::move(sum_);
    if (options_.mean) divide_rows(&result.values, {count_});
  }
  count_ = 0;
  ++global_step_;
  return result;
}

void GradientAccumulator::take(CancellationToken& token, int32_t required,
                               const std::shared_ptr<GradientAccumulator>& self,
                               std::function<void(absl::Status, Slices)> done) {
  if (required <= 0) return done(invalid("Argument num_required must be positive, but was ", required), {});
  auto result = std::make_shared<Slices>();
  waiters_->add(
      token, "TakeGradient operation was cancelled",
      [self, required, result](absl::Status* status) {
        if (self->count_ < required) return false;
        auto finished = self->finish();
        if (finished.ok()) {
          *result = *std::move(finished);
        } else {
          *status = finished.status();
        }
        return true;
      },
      [result, done = std::move(done)](absl::Status status) { done(std::move(status), std::move(*result)); });
}

int64_t GradientAccumulator::num_accumulated() const {
  std::lock_guard lock(mu_);
  return count_;
}

void GradientAccumulator::set_global_step(int64_t step) {
  std::lock_guard lock(mu_);
  global_step_ = step;
}

}  // namespace troupe
