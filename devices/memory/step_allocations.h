#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/memory/tracking_allocator.h"

namespace troupe {

/// What the kernels of one step, and of the functions that it calls, have allocated. Lives as long as the step; what it hands out may live
/// longer. Thread-safe.
class StepAllocations {
 public:
  /// Tells `log` of this step's blocks and values; before it starts.
  void log_to(AllocationLog* log, int64_t step_id);
  /// Null when they are not logged.
  AllocationLog* log() const { return log_; }
  int64_t step_id() const { return step_id_; }
  /// Where one execution of a node allocates from now on.
  std::shared_ptr<TrackingAllocator> track(const std::string& node, const std::string& device,
                                           Allocator* memory);
  /// What is live of one device's memory by node, the largest first, as TensorFlow words it: up to a hundred nodes or 99 % of the bytes.
  std::string usage(const std::string& device, absl::string_view allocator) const;

 private:
  struct Execution {
    std::string node;
    std::string device;
    std::shared_ptr<TrackingAllocator> memory;
  };
  /// Beyond so many executions those that hold nothing are forgotten; the limit then follows what is left.
  static constexpr size_t kFirstSweep = 1024;

  // Constant while the step runs.
  AllocationLog* log_ = nullptr;
  int64_t step_id_ = 0;
  mutable std::mutex mu_;
  std::vector<Execution> executions_;  // guarded by mu_
  size_t sweep_at_ = kFirstSweep;      // guarded by mu_
};

/// "512B", "39.1KiB", "3.81MiB", as TensorFlow writes sizes.
std::string human_readable_bytes(int64_t bytes);

}  // namespace troupe
