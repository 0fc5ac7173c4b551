#include "graph/passes/partition_by_task.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/device_name.h"
#include "graph/status.h"

namespace troupe {
namespace {

std::string task_of(const std::string& device) {
  const std::optional<DeviceName> name = DeviceName::parse(device);
  return name ? name->task_string() : device;
}

/// Puts each node where it asks to be.
absl::Status set_devices(const DeviceCatalog& devices, Graph* part) {
  absl::flat_hash_map<DeviceName, int> here;
  std::vector<std::string> names;
  for (size_t i = 0; i < devices.entries().size(); ++i) {
    const DeviceCatalog::Entry& device = devices.entries()[i];
    const std::optional<DeviceName> name = DeviceName::parse(device.name);
    if (!device.local || !name) continue;
    here.emplace(*name, static_cast<int>(i));
    names.push_back(device.name);
  }
  for (int i = 0; i < part->num_ids(); ++i) {
    Node& n = part->node(i);
    if (n.removed()) continue;
    const std::optional<DeviceName> name = DeviceName::parse(n.requested_device);
    if (!name || !name->complete()) {
      return absl::InvalidArgumentError(absl::StrCat("Missing device name in: {{node ", n.name, "}} (",
                                                     n.op->name, "), which asks for '", n.requested_device,
                                                     "'"));
    }
    const auto found = here.find(*name);
    if (found == here.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("{{node ", n.name, "}} (", n.op->name, ") is on ", n.requested_device,
                       ", which is no device of this task: [", absl::StrJoin(names, ", "), "]"));
    }
    n.device = found->second;
  }
  return absl::OkStatus();
}

/// The dtypes of the nodes of one op by their attr "index"; kInvalid for those that other parts have.
absl::StatusOr<std::vector<DataType>> types_by_index(const Graph& part, absl::string_view op, int count) {
  std::vector<DataType> types(count, DataType::kInvalid);
  for (int i = 0; i < part.num_ids(); ++i) {
    const Node& n = part.node(i);
    if (!n.is(op)) continue;
    const int64_t index = n.attrs.get_or<int64_t>("index", -1);
    if (index < 0 || index >= count) {
      return absl::InvalidArgumentError(
          absl::StrCat("{{node ", n.name, "}} (", op, ") has index ", index, ", expected 0 to ", count - 1));
    }
    if (types[index] != DataType::kInvalid) {
      return absl::InvalidArgumentError(
          absl::StrCat("{{node ", n.name, "}} (", op, ") has index ", index, ", which another node has"));
    }
    types[index] = n.attrs.get_or<DataType>("T", DataType::kInvalid);
  }
  return types;
}

}  // namespace

Cut cut_by_task(const DeviceCatalog& devices) {
  Cut cut;
  cut.mark = "_S";
  absl::flat_hash_map<std::string, int> parts;
  for (const DeviceCatalog::Entry& device : devices.entries()) {
    const auto [task, added] = parts.try_emplace(task_of(device.name), static_cast<int>(parts.size()));
    if (added) cut.devices_in.push_back(0);
    cut.part_of.push_back(task->second);
    ++cut.devices_in[task->second];
  }
  return cut;
}

absl::StatusOr<std::vector<PlanPartition>> partition_by_task(const DeviceCatalog& devices, Draft draft) {
  TROUPE_ASSIGN_OR_RETURN(std::vector<PlanPartition> parts,
                          partition(devices, cut_by_task(devices), std::move(draft)));
  for (PlanPartition& part : parts) {
    for (int i = 0; i < part.graph.num_ids(); ++i) {
      Node& n = part.graph.node(i);
      if (!n.removed()) n.requested_device = devices.entries()[n.device].name;
    }
  }
  return parts;
}

absl::StatusOr<Plan> plan_part(const DeviceCatalog& devices, Graph part, int num_feeds, int num_fetches) {
  Plan plan;
  TROUPE_RETURN_IF_ERROR(part.check_runnable());
  TROUPE_ASSIGN_OR_RETURN(plan.feed_types, types_by_index(part, "_Arg", num_feeds));
  TROUPE_ASSIGN_OR_RETURN(plan.fetch_types, types_by_index(part, "_Retval", num_fetches));
  TROUPE_RETURN_IF_ERROR(set_devices(devices, &part));
  Draft draft;
  draft.graph = std::move(part);
  TROUPE_ASSIGN_OR_RETURN(plan.partitions, partition(devices, cut_by_device(devices), std::move(draft)));
  return plan;
}

}  // namespace troupe
