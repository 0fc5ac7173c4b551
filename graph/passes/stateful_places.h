#pragma once

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "graph/passes/device_catalog.h"
#include "graph/passes/pass.h"
#include "graph/passes/plan.h"

namespace troupe {

/// Where the nodes with state are of a graph without a Placement, of which each signature places what it needs: the first that
/// needs such a node decides, and all others find it there. Of a session; its size is bounded by the graph's nodes with state, those of
/// functions that are put in place of their calls included. Thread-safe.
class StatefulPlaces {
 public:
  /// `place` (place.h) for a draft of that graph, whose nodes with state are put where they were before. What that call says is
  /// remembered when it succeeds. One draft at a time: others wait.
  absl::StatusOr<PassStats> place(const DeviceCatalog& devices, const PlanOptions& options, Graph* graph);

 private:
  std::mutex mu_;
  /// By name: index into the catalog.
  absl::flat_hash_map<std::string, int> devices_;
};

}  // namespace troupe
