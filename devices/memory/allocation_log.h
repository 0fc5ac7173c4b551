#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// Hears what the kernels of steps allocate, give back and put out, as it happens. Lives as long as the process: blocks outlive steps and
/// sessions. Called from any thread.
class AllocationLog {
 public:
  virtual ~AllocationLog() = default;
  /// `id` is TrackingAllocator's.
  virtual void allocated(int64_t step_id, const std::string& node, absl::string_view allocator, int64_t id,
                         const void* data, int64_t bytes) = 0;
  virtual void freed(int64_t step_id, const std::string& node, absl::string_view allocator, int64_t id) = 0;
  virtual void put_out(int64_t step_id, const std::string& node, int output, const Tensor& value) = 0;
};

}  // namespace troupe
