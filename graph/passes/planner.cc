#include "graph/passes/planner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/device_name.h"
#include "graph/passes/prune.h"
#include "graph/passes/rewrite_signature.h"

namespace troupe {
namespace {

/// Puts every node where its requested device says, else on the client's device; checks that there is a kernel.
absl::Status place_nodes(const DeviceCatalog& devices, const PlanOptions& options, Graph* graph) {
  std::vector<DeviceName> names;
  for (const auto& e : devices.entries()) names.push_back(*DeviceName::parse(e.name));
  for (int i = 0; i < graph->num_ids(); ++i) {
    Node& n = graph->node(i);
    if (n.removed()) continue;
    int chosen = devices.client_device();
    if (!n.requested_device.empty()) {
      auto want = DeviceName::parse(n.requested_device);
      if (!want) {
        return absl::InvalidArgumentError(absl::StrCat("Malformed device specification '", n.requested_device,
                                                       "' in node: {{node ", n.name, "}}"));
      }
      auto match = std::find_if(names.begin(), names.end(), [&](const DeviceName& d) { return want->is_specification_of(d); });
      if (match == names.end() && options.allow_soft_placement) {
        want->type.reset();
        want->id.reset();
        match = std::find_if(names.begin(), names.end(), [&](const DeviceName& d) { return want->is_specification_of(d); });
      }
      if (match == names.end()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Cannot assign a device for operation ", n.name, ": {{node ", n.name, "}} was explicitly assigned to ",
            n.requested_device, " but available devices are [ ",
            absl::StrJoin(devices.entries(), ", ", [](std::string* o, const auto& e) { absl::StrAppend(o, e.name); }),
            " ]. Make sure the device specification refers to a valid device."));
      }
      chosen = static_cast<int>(match - names.begin());
    }
    const std::string& type = devices.entries()[chosen].type;
    TROUPE_ASSIGN_OR_RETURN(DeviceCatalog::Support support, devices.kernel_support(*n.op, n.attrs, type));
    if (!support.supported) {
      std::string attrs = absl::StrJoin(n.attrs, ", ", [](std::string* o, const AttrMap::Entry& a) {
        absl::StrAppend(o, a.first, "=", a.second.to_string());
      });
      return absl::InvalidArgumentError(absl::StrCat(
          "No OpKernel was registered to support Op '", n.op->name, "' used by {{node ", n.name, "}} with these attrs: [",
          attrs, "]\nRegistered devices: [", type, "]\nRegistered kernels:\n", devices.kernels_of(n.op->name), "\n\t [[", n.name,
          "]]"));
    }
    n.device = chosen;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Plan> make_plan(const Graph& graph, const PlanSignature& signature, const DeviceCatalog& devices,
                               const Evaluator*, const PlanOptions& options) {
  Plan plan;
  TROUPE_ASSIGN_OR_RETURN(Draft draft, rewrite_signature(graph, signature, &plan));
  TROUPE_RETURN_IF_ERROR(place_nodes(devices, options, &draft.graph));
  PlanPartition p;
  p.device = devices.client_device();
  for (int i = 0; i < draft.graph.num_ids(); ++i) {
    if (draft.graph.node(i).device != p.device) {
      return absl::UnimplementedError("graphs over several devices cannot be partitioned by this build");
    }
  }
  p.graph = std::move(draft.graph);
  plan.partitions.push_back(std::move(p));
  return plan;
}

}  // namespace troupe
