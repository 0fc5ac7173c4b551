#include "graph/passes/stateful_places.h"

#include "graph/passes/place.h"

namespace troupe {
namespace {

/// Nodes that plans make have names of their own in each, and are the client's.
bool has_place(const Node& n) {
  return !n.removed() && n.op->is_stateful && !n.is("_Arg") && !n.is("_Retval") && !n.is("_Send") &&
         !n.is("_Recv");
}

}  // namespace

absl::StatusOr<PassStats> StatefulPlaces::place(const DeviceCatalog& devices, const PlanOptions& options,
                                                Graph* graph) {
  std::lock_guard lock(mu_);
  for (int i = 0; i < graph->num_ids(); ++i) {
    Node& n = graph->node(i);
    if (!has_place(n) || n.device >= 0) continue;
    if (auto known = devices_.find(n.name); known != devices_.end()) n.device = known->second;
  }
  TROUPE_ASSIGN_OR_RETURN(PassStats placed, troupe::place(devices, options, graph));
  for (int i = 0; i < graph->num_ids(); ++i) {
    const Node& n = graph->node(i);
    if (has_place(n) && n.device >= 0) devices_.try_emplace(n.name, n.device);
  }
  return placed;
}

}  // namespace troupe
