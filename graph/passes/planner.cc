#include "graph/passes/planner.h"

#include "graph/passes/common_subexpressions.h"
#include "graph/passes/constant_folding.h"
#include "graph/passes/inline_functions.h"
#include "graph/passes/partition.h"
#include "graph/passes/place.h"
#include "graph/passes/prune.h"
#include "graph/passes/rewrite_signature.h"

namespace troupe {

absl::StatusOr<Plan> make_plan(const Graph& graph, const PlanSignature& signature,
                               const DeviceCatalog& devices, const Evaluator* evaluator,
                               const PlanOptions& options) {
  Plan plan;
  TROUPE_ASSIGN_OR_RETURN(Draft draft, rewrite_signature(graph, signature, &plan));
  auto note = [&](const PassStats& stats) {
    if (options.log != nullptr) options.log->push_back(stats.to_string());
    if (options.observer) options.observer(stats, draft.graph);
  };
  if (options.observer)
    options.observer(PassStats("rewrite_signature", graph).done(draft.graph), draft.graph);
  TROUPE_ASSIGN_OR_RETURN(PassStats inlined, inline_functions(&draft));
  note(inlined);
  if (inlined["calls"] + inlined["branches"] + inlined["loops"] > 0) note(prune(&draft));
  // Feeds arrive, and fetches leave, where the client is.
  const std::string& client = devices.entries()[devices.client_device()].name;
  for (int i = 0; i < draft.graph.num_ids(); ++i) {
    Node& n = draft.graph.node(i);
    if (n.is("_Arg") || n.is("_Retval")) n.requested_device = client;
  }
  // Placed first, so that constants and merged nodes stay where their nodes were to run.
  TROUPE_ASSIGN_OR_RETURN(PassStats placed, place(devices, options, &draft.graph));
  note(placed);
  if (options.optimize && evaluator != nullptr) {
    TROUPE_ASSIGN_OR_RETURN(PassStats folded,
                            fold_constants(*evaluator, options.max_folded_constant_bytes, &draft));
    note(folded);
    TROUPE_ASSIGN_OR_RETURN(PassStats merged, merge_common_subexpressions(&draft));
    note(merged);
    if (folded["folded"] + merged["merged"] > 0) note(prune(&draft));
  }
  TROUPE_ASSIGN_OR_RETURN(plan.partitions, partition(devices, std::move(draft)));
  return plan;
}

}  // namespace troupe
