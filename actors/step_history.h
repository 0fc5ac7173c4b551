#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace troupe {

/// A step that was timed and is over.
struct TimedStep {
  int64_t session_id = 0;
  int64_t step_id = 0;
  /// Nanoseconds since the epoch.
  int64_t began_ns = 0;
  int64_t duration_ns = 0;
  absl::StatusCode code = absl::StatusCode::kOk;
  /// What it fetched and ran, shortened.
  std::string label;
};

/// The last of the steps that it is given, so many. Thread-safe.
class StepHistory {
 public:
  explicit StepHistory(size_t size) : size_(size) {}
  void add(TimedStep step);
  /// Oldest first.
  std::vector<TimedStep> all() const;

 private:
  const size_t size_;
  mutable std::mutex mu_;
  std::vector<TimedStep> steps_;  // guarded by mu_
  size_t next_ = 0;               // guarded by mu_
};

}  // namespace troupe
