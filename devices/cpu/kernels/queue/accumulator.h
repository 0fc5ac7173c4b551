#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cpu/kernels/queue/async_waiters.h"
#include "devices/kernel.h"

namespace troupe {

/// Sums gradients of one global step until enough of them are there; those of earlier steps are dropped.
/// Dense, or slices by their first index. Thread-safe. Who shares one by name is not asked for the same options.
class GradientAccumulator final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::ConditionalAccumulatorBase";

  struct Options {
    DataType dtype = DataType::kFloat;
    PartialShape shape;
    /// Take gives the mean, not the sum.
    bool mean = true;
    bool sparse = false;
  };
  struct Slices {
    Tensor indices;
    Tensor values;
    Tensor shape;
  };

  explicit GradientAccumulator(Options options)
      : options_(std::move(options)), waiters_(std::make_shared<Waiters>(&mu_, true)) {}

  std::string type_name() const override { return kTypeName; }
  const Options& options() const { return options_; }

  /// Adds a gradient that was computed in step `local_step`. InvalidArgument "Shape mismatch: ...".
  absl::Status apply(int64_t local_step, const Tensor& gradient);
  absl::Status apply_slices(int64_t local_step, const Slices& gradient, bool has_known_shape);
  /// Calls done with the mean or sum as soon as `required` gradients are there, and goes on to the next step.
  void take(CancellationToken& token, int32_t required, const std::shared_ptr<GradientAccumulator>& self,
            std::function<void(absl::Status, Slices)> done);
  int64_t num_accumulated() const;
  void set_global_step(int64_t step);

 private:
  absl::Status check_slices(const Slices& gradient, bool has_known_shape) const;
  absl::Status check_values(const Tensor& values) const;
  absl::Status merge_slices(const Slices& gradient);
  absl::StatusOr<Slices> finish();
  absl::StatusOr<Slices> finish_slices();

  const Options options_;
  mutable std::mutex mu_;
  // Guarded by mu_.
  int64_t global_step_ = 0;
  int64_t count_ = 0;
  Tensor sum_;
  /// Sparse: the slices' indices, their sums, and how many gradients each is the sum of.
  std::vector<int64_t> indices_;
  Tensor values_;
  std::vector<int64_t> counts_;
  const std::shared_ptr<Waiters> waiters_;
};

}  // namespace troupe
