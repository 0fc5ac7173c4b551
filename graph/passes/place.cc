#include "graph/passes/place.h"

#include "graph/passes/placer.h"

namespace troupe {

absl::Status Placement::extend(const DeviceCatalog& devices, bool allow_soft_placement, const Graph& graph) {
  const int before = num_ids();
  devices_.resize(static_cast<size_t>(graph.num_ids()), -1);
  Placer placer(devices, allow_soft_placement, graph, before, &devices_);
  placer.leave_unknown_ops();
  placer.leave_open_groups();
  placer.remember_classes(&classes_);
  placer.remember_made(&made_);
  absl::Status status = placer.run();
  if (!status.ok()) truncate(before);
  return status;
}

void Placement::truncate(int num_ids) {
  if (num_ids >= this->num_ids()) return;
  devices_.resize(static_cast<size_t>(num_ids));
  absl::erase_if(classes_, [&](const auto& c) { return c.second >= num_ids; });
  absl::erase_if(made_, [&](const auto& m) { return m.first.node >= num_ids; });
}

absl::StatusOr<PassStats> place(const DeviceCatalog& devices, const PlanOptions& options, Graph* graph,
                                bool unknown_ops_wait) {
  PassStats stats("place", *graph);
  std::vector<int> where(graph->num_ids());
  for (int i = 0; i < graph->num_ids(); ++i) where[i] = graph->node(i).device;
  Placer placer(devices, options.allow_soft_placement, *graph, 0, &where);
  if (unknown_ops_wait) placer.leave_unknown_ops();
  TROUPE_RETURN_IF_ERROR(placer.run());
  std::vector<int64_t> per_device(devices.entries().size());
  for (int i = 0; i < graph->num_ids(); ++i) {
    Node& n = graph->node(i);
    if (n.removed()) continue;
    n.device = where[i];
    if (n.device >= 0) ++per_device[n.device];
  }
  for (size_t d = 0; d < per_device.size(); ++d) stats.count(devices.entries()[d].name, per_device[d]);
  return stats.done(*graph);
}

}  // namespace troupe
