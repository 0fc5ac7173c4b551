#pragma once

#include <functional>
#include <span>
#include <string>

#include "graph/passes/device_catalog.h"
#include "graph/passes/evaluator.h"
#include "graph/passes/pass.h"
#include "graph/passes/plan.h"

namespace troupe {

/// What a pass of a plan works on.
struct PassContext {
  Draft* draft = nullptr;
  const DeviceCatalog* devices = nullptr;
  /// Null: nothing is folded.
  const Evaluator* evaluator = nullptr;
  const PlanOptions* options = nullptr;
  /// The function whose body is planned; empty for a signature.
  std::string function = {};
  /// Of the draft as it came: what min_graph_nodes is compared with.
  int nodes_to_plan = 0;
  /// Passes have left something behind since the last prune.
  bool has_leavings = false;
};

/// One pass of a plan, all of which stand in `kPasses` (pass_list.cc) in the order in which they run.
struct Pass {
  const char* name;
  /// Whether there is anything to do.
  bool (*when)(const PassContext&);
  absl::StatusOr<PassStats> (*run)(PassContext&);
};

std::span<const Pass> passes();

/// Runs those that have something to do, one after the other; notes what each did where the options say. Ends with the first error of
/// PlanOptions::stopped.
absl::Status run_passes(PassContext& context);
/// Tells the log and the observer of the options.
void note_pass(const PlanOptions& options, const PassStats& stats, const Graph& after);
absl::Status check_wanted(const PlanOptions& options);

}  // namespace troupe
