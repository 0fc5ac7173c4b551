#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/passes/planner.h"
#include "proto/graph.pb.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

/// What the planner makes of a signature.
struct PlanReport {
  /// One line a pass: nodes before and after, and what it counted.
  std::vector<std::string> passes;
  /// The parts of the plan, by full device name.
  std::vector<std::pair<std::string, tensorflow::GraphDef>> partitions;
  int nodes_before = 0;
  int nodes_after = 0;
};

/// Plans a signature for `cpus` CPU devices, without a session.
absl::StatusOr<PlanReport> plan_report(const tensorflow::GraphDef& graph, const PlanSignature& signature, int cpus,
                                       const PlanOptions& options);

}  // namespace troupe
