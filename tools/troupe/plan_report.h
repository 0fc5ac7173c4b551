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

/// One run of a pass: the graph that it found and the one that it left, with the devices that nodes have been given.
struct PassRun {
  std::string pass;
  /// "prune: 120 -> 40 nodes; removed 80".
  std::string summary;
  tensorflow::GraphDef before;
  tensorflow::GraphDef after;
};

/// What the planner makes of a signature.
struct PlanReport {
  /// One line a pass: nodes before and after, and what it counted.
  std::vector<std::string> passes;
  /// Each run of the pass that was asked for, in order.
  std::vector<PassRun> runs;
  /// The parts of the plan, by full device name.
  std::vector<std::pair<std::string, tensorflow::GraphDef>> partitions;
  int nodes_before = 0;
  int nodes_after = 0;
};

/// Plans a signature for `cpus` CPU devices and `gpus` GPUs, which need not be there, without a session. Keeps the graphs around the runs of `watched`: a pass by
/// name, "all" of them, or "" for none.
absl::StatusOr<PlanReport> plan_report(const tensorflow::GraphDef& graph, const PlanSignature& signature,
                                       int cpus, const PlanOptions& options, const std::string& watched = "",
                                       int gpus = 0);

}  // namespace troupe
