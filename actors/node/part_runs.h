#pragma once

#include <memory>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "actors/outstanding_run.h"

namespace troupe {

/// The parts of steps that run here for one session of a cluster, by the cluster's step id. Thread-safe.
class PartRuns {
 public:
  /// One of a step that does not run here.
  void add(int64_t step, const std::shared_ptr<OutstandingRun>& run);
  void remove(int64_t step);
  /// Null when it does not run here.
  std::shared_ptr<OutstandingRun> find(int64_t step) const;
  void cancel(int64_t step, const absl::Status& why);
  void cancel_all(const absl::Status& why);

 private:
  mutable std::mutex mu_;
  absl::flat_hash_map<int64_t, std::weak_ptr<OutstandingRun>> runs_;  // guarded by mu_
};

}  // namespace troupe
