#include "graph/passes/planner.h"

#include "graph/passes/inline_functions.h"
#include "graph/passes/partition.h"
#include "graph/passes/place.h"
#include "graph/passes/prune.h"
#include "graph/passes/rewrite_signature.h"

namespace troupe {

absl::StatusOr<Plan> make_plan(const Graph& graph, const PlanSignature& signature, const DeviceCatalog& devices,
                               const Evaluator*, const PlanOptions& options) {
  Plan plan;
  TROUPE_ASSIGN_OR_RETURN(Draft draft, rewrite_signature(graph, signature, &plan));
  TROUPE_ASSIGN_OR_RETURN(PassStats inlined, inline_functions(&draft));
  if (inlined["calls"] + inlined["branches"] + inlined["loops"] > 0) {
    PassStats pruned = prune(&draft);
    if (options.log != nullptr) {
      options.log->push_back(inlined.to_string());
      options.log->push_back(pruned.to_string());
    }
  }
  // Feeds arrive, and fetches leave, where the client is.
  const std::string& client = devices.entries()[devices.client_device()].name;
  for (int i = 0; i < draft.graph.num_ids(); ++i) {
    Node& n = draft.graph.node(i);
    if (n.is("_Arg") || n.is("_Retval")) n.requested_device = client;
  }
  TROUPE_ASSIGN_OR_RETURN(PassStats placed, place(devices, options, &draft.graph));
  if (options.log != nullptr) options.log->push_back(placed.to_string());
  TROUPE_ASSIGN_OR_RETURN(plan.partitions, partition(devices, std::move(draft)));
  return plan;
}

}  // namespace troupe
