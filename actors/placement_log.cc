#include "actors/placement_log.h"

#include <spdlog/spdlog.h>

#include <cstdio>

#include "absl/strings/str_cat.h"

namespace troupe {

PlacementLog::~PlacementLog() {
  std::fwrite(lines_.data(), 1, lines_.size(), stdout);
  std::fflush(stdout);
}

void PlacementLog::add(const Node& node, int device) {
  const std::string line =
      absl::StrCat(node.name, ": (", node.op->name, "): ", devices_.entries()[device].name);
  spdlog::info("{}", line);
  absl::StrAppend(&lines_, line, "\n");
}

void log_placement(const SessionCore& core, const Graph& graph, const Placement& placement, int first_id) {
  if (!core.options->log_device_placement) return;
  PlacementLog log(*core.devices);
  for (int id = first_id; id < graph.num_ids(); ++id) {
    if (placement.device_of(id) >= 0) log.add(graph.node(id), placement.device_of(id));
  }
}

}  // namespace troupe
