#include "graph/passes/place.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/device_name.h"

namespace troupe {
namespace {

/// What the members of a colocation group have in common.
struct Group {
  DeviceName requested;
  /// By device of the catalog: the lowest kernel priority of the members, or nothing when one has no kernel there.
  std::vector<std::optional<int>> support;
  int device = -1;
};

std::string list_devices(const DeviceCatalog& devices) {
  return absl::StrJoin(devices.entries(), ", ",
                       [](std::string* o, const auto& e) { absl::StrAppend(o, e.name); });
}

absl::Status malformed_device(const Node& n) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Malformed device specification '", n.requested_device, "' in node: {name:'", n.name, "' id:", n.id + 2,
      " op device:{requested: '", n.requested_device, "', assigned: ''} def:{{{node ", n.name,
      "}} = ", n.op->name, "[]()}}\n\t [[", n.name, "]]"));
}

absl::Status no_such_device(const Node& n, const std::string& wanted, const DeviceCatalog& devices) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Cannot assign a device for operation ", n.name, ": {{node ", n.name, "}} was explicitly assigned to ",
      wanted, " but available devices are [ ", list_devices(devices),
      " ]. Make sure the device specification refers to a valid device.\n\t [[", n.name, "]]"));
}

absl::Status no_kernel(const Node& n, const DeviceCatalog& devices) {
  std::vector<std::string> types;
  for (const auto& e : devices.entries()) types.push_back(e.type);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  std::string attrs = absl::StrJoin(n.attrs, ", ", [](std::string* o, const AttrMap::Entry& a) {
    absl::StrAppend(o, a.first, "=", a.second.to_string());
  });
  return absl::InvalidArgumentError(
      absl::StrCat("No OpKernel was registered to support Op '", n.op->name, "' used by {{node ", n.name,
                   "}} with these attrs: [", attrs, "]\nRegistered devices: [", absl::StrJoin(types, ", "),
                   "]\nRegistered kernels:\n", devices.kernels_of(n.op->name), "\n\t [[", n.name, "]]"));
}

class Placer {
 public:
  Placer(const DeviceCatalog& devices, const PlanOptions& options, Graph* graph)
      : devices_(devices), options_(options), graph_(*graph), parent_(graph->num_ids()),
        groups_(graph->num_ids()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const auto& e : devices.entries()) names_.push_back(*DeviceName::parse(e.name));
  }

  absl::Status run() {
    if (names_.empty()) return absl::FailedPreconditionError("No devices are registered");
    for (int i = 0; i < graph_.num_ids(); ++i) {
      if (!graph_.node(i).removed()) TROUPE_RETURN_IF_ERROR(init(i));
    }
    TROUPE_RETURN_IF_ERROR(colocate());
    ConsumerIndex consumers(graph_);
    std::vector<int> generators;
    for (int i = 0; i < graph_.num_ids(); ++i) {
      if (graph_.node(i).removed()) continue;
      if (is_generator(i)) {
        generators.push_back(i);
      } else {
        TROUPE_RETURN_IF_ERROR(assign(i, preferred_of(i)));
      }
    }
    for (int i : generators) TROUPE_RETURN_IF_ERROR(assign(i, common_device(consumers, i)));
    return absl::OkStatus();
  }

 private:
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  absl::Status init(int id) {
    const Node& n = graph_.node(id);
    Group& g = groups_[id];
    if (!n.requested_device.empty()) {
      auto want = DeviceName::parse(n.requested_device);
      if (!want) {
        return malformed_device(n);
      }
      g.requested = *std::move(want);
    }
    bool any = false;
    for (size_t d = 0; d < names_.size(); ++d) {
      const auto& entry = devices_.entries()[d];
      if (d > 0 && entry.type == devices_.entries()[d - 1].type) {
        g.support.push_back(g.support.back());
        continue;
      }
      TROUPE_ASSIGN_OR_RETURN(DeviceCatalog::Support s, devices_.kernel_support(*n.op, n.attrs, entry.type));
      g.support.push_back(s.supported ? std::optional<int>(s.priority) : std::nullopt);
      any |= s.supported;
    }
    if (any) return absl::OkStatus();
    return no_kernel(n, devices_);
  }

  /// Joins the groups of two nodes; `hard` (references, resources) may not fail silently.
  absl::Status merge(int a, int b, bool hard) {
    int ra = find(a), rb = find(b);
    if (ra == rb) return absl::OkStatus();
    Group joined = groups_[ra];
    auto conflict =
        options_.allow_soft_placement ? DeviceName::OnConflict::kDrop : DeviceName::OnConflict::kError;
    absl::Status names = joined.requested.merge(groups_[rb].requested, conflict);
    if (!names.ok() && hard) {
      // A reference's source decides where both are.
      names = absl::OkStatus();
    }
    bool possible = false;
    for (size_t d = 0; d < joined.support.size(); ++d) {
      const auto& other = groups_[rb].support[d];
      if (!other) {
        joined.support[d].reset();
      } else if (joined.support[d]) {
        joined.support[d] = std::min(*joined.support[d], *other);
      }
      possible |= joined.support[d].has_value();
    }
    if (!names.ok() || !possible) {
      if (!hard && options_.allow_soft_placement) return absl::OkStatus();
      std::string why = names.ok() ? " because no device type supports both of those nodes and the other "
                                     "nodes colocated with them."
                                   : absl::StrCat(": ", names.message());
      return absl::InvalidArgumentError(absl::StrCat("Cannot colocate nodes {{colocation_node ",
                                                     graph_.node(a).name, "}} and {{colocation_node ",
                                                     graph_.node(b).name, "}}", why));
    }
    parent_[rb] = ra;
    groups_[ra] = std::move(joined);
    return absl::OkStatus();
  }

  absl::Status colocate() {
    absl::flat_hash_map<std::string, int> first_of_class;
    for (int i = 0; i < graph_.num_ids(); ++i) {
      const Node& n = graph_.node(i);
      if (n.removed()) continue;
      for (int s = 0; s < n.num_inputs(); ++s) {
        DataType t = n.input_types[s];
        // A called function finds resources where they are.
        const bool elsewhere =
            n.is("IdentityN") || n.is("PartitionedCall") || n.is("StatefulPartitionedCall");
        bool resource = t == DataType::kResource && !elsewhere;
        if (is_ref(t) || resource) TROUPE_RETURN_IF_ERROR(merge(n.inputs[s].node, i, true));
      }
      const AttrValue* classes = n.attrs.find("_class");
      if (classes == nullptr) continue;
      auto list = classes->get_list<std::vector<std::string>>();
      if (!list) continue;
      for (const std::string& c : *list) {
        if (!absl::StartsWith(c, "loc:@")) continue;
        const Node* leader = graph_.find(absl::string_view(c).substr(5));
        int other = leader != nullptr ? leader->id : first_of_class.try_emplace(c, i).first->second;
        if (other != i) TROUPE_RETURN_IF_ERROR(merge(other, i, false));
      }
    }
    return absl::OkStatus();
  }

  bool is_generator(int id) {
    const Node& n = graph_.node(id);
    return n.inputs.empty() && n.num_outputs() == 1 && !is_ref(n.output_types[0]) && !n.op->is_stateful &&
           find(id) == id && n.requested_device.empty();
  }

  /// Shape, Size and Rank go where their input is.
  int preferred_of(int id) const {
    const Node& n = graph_.node(id);
    if ((n.is("Shape") || n.is("Size") || n.is("Rank")) && n.num_inputs() == 1)
      return graph_.node(n.inputs[0].node).device;
    return -1;
  }

  int common_device(const ConsumerIndex& consumers, int id) const {
    int device = -1;
    for (const auto& use : consumers.of(id)) {
      int d = graph_.node(use.node).device;
      if (d < 0 || (device >= 0 && d != device)) return -1;
      device = d;
    }
    return device;
  }

  absl::Status assign(int id, int preferred) {
    Group& g = groups_[find(id)];
    if (g.device < 0) TROUPE_RETURN_IF_ERROR(choose(id, preferred, &g));
    graph_.node(id).device = g.device;
    return absl::OkStatus();
  }

  bool fits(const Group& g, const DeviceName& want, size_t d) const {
    return g.support[d].has_value() && want.is_specification_of(names_[d]);
  }

  absl::Status choose(int id, int preferred, Group* g) {
    DeviceName want = g->requested;
    if (preferred >= 0 && fits(*g, want, static_cast<size_t>(preferred))) {
      g->device = preferred;
      return absl::OkStatus();
    }
    for (int attempt = 0; attempt < 2; ++attempt) {
      for (size_t d = 0; d < names_.size(); ++d) {
        if (!fits(*g, want, d)) continue;
        if (g->device < 0 || better(*g, static_cast<int>(d), g->device)) g->device = static_cast<int>(d);
      }
      if (g->device >= 0 || !options_.allow_soft_placement) break;
      want.type.reset();
      want.id.reset();
    }
    if (g->device >= 0) return absl::OkStatus();
    const Node& n = graph_.node(id);
    std::string wanted = g->requested.to_string();
    bool exists = std::any_of(names_.begin(), names_.end(),
                              [&](const DeviceName& d) { return g->requested.is_specification_of(d); });
    if (!exists) {
      return no_such_device(n, n.requested_device.empty() ? wanted : n.requested_device, devices_);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("Cannot assign a device for operation ", n.name,
                     ": Could not satisfy explicit device specification '", wanted,
                     "' because no supported kernel for ", g->requested.type.value_or("its"),
                     " devices is available. All available devices [", list_devices(devices_), "]"));
  }

  bool better(const Group& g, int a, int b) const {
    const auto& x = devices_.entries()[a];
    const auto& y = devices_.entries()[b];
    if (*g.support[a] != *g.support[b]) return *g.support[a] > *g.support[b];
    if (x.priority != y.priority) return x.priority > y.priority;
    if (x.local != y.local) return x.local;
    return x.name < y.name;
  }

  const DeviceCatalog& devices_;
  const PlanOptions& options_;
  Graph& graph_;
  std::vector<DeviceName> names_;
  std::vector<int> parent_;
  std::vector<Group> groups_;
};

/// Answers each question about a wish or a kernel once.
class PlacementCheck {
 public:
  PlacementCheck(const DeviceCatalog& devices, const PlanOptions& options)
      : devices_(devices), options_(options) {
    for (const auto& e : devices.entries()) names_.push_back(*DeviceName::parse(e.name));
  }

  absl::Status check(const Node& n) {
    if (!n.requested_device.empty() && !good_devices_.contains(n.requested_device)) {
      const auto want = DeviceName::parse(n.requested_device);
      if (!want) return malformed_device(n);
      const bool exists = std::any_of(names_.begin(), names_.end(),
                                      [&](const DeviceName& d) { return want->is_specification_of(d); });
      if (!exists && !options_.allow_soft_placement) return no_such_device(n, n.requested_device, devices_);
      good_devices_.insert(n.requested_device);
    }
    key_ = n.op->name;
    for (const AttrDef& a : n.op->attrs) {
      if (a.kind != "type") continue;
      const AttrValue* value = n.attrs.find(a.name);
      const DataType* type = value == nullptr ? nullptr : value->get<DataType>();
      if (type != nullptr) absl::StrAppend(&key_, " ", static_cast<int>(*type));
    }
    if (good_kernels_.contains(key_)) return absl::OkStatus();
    bool any = false;
    for (const auto& e : devices_.entries()) {
      TROUPE_ASSIGN_OR_RETURN(DeviceCatalog::Support s, devices_.kernel_support(*n.op, n.attrs, e.type));
      any = any || s.supported;
    }
    if (!any && !absl::StrContains(devices_.kernels_of(n.op->name), "<no registered kernels>")) {
      return no_kernel(n, devices_);
    }
    good_kernels_.insert(key_);
    return absl::OkStatus();
  }

 private:
  const DeviceCatalog& devices_;
  const PlanOptions& options_;
  std::vector<DeviceName> names_;
  absl::flat_hash_set<std::string> good_devices_;
  absl::flat_hash_set<std::string> good_kernels_;
  std::string key_;
};

}  // namespace

absl::Status check_placeable(const DeviceCatalog& devices, const PlanOptions& options, const Graph& graph,
                             int first_id) {
  PlacementCheck placement(devices, options);
  for (int i = first_id; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    // An op that is gone has all its attrs; other defects are of attrs.
    const bool sound = n.defect.ok() || absl::IsUnimplemented(n.defect);
    if (!n.removed() && sound) TROUPE_RETURN_IF_ERROR(placement.check(n));
  }
  return absl::OkStatus();
}

absl::StatusOr<PassStats> place(const DeviceCatalog& devices, const PlanOptions& options, Graph* graph) {
  PassStats stats("place", *graph);
  TROUPE_RETURN_IF_ERROR(Placer(devices, options, graph).run());
  std::vector<int64_t> per_device(devices.entries().size());
  for (int i = 0; i < graph->num_ids(); ++i) {
    if (!graph->node(i).removed()) ++per_device[graph->node(i).device];
  }
  for (size_t d = 0; d < per_device.size(); ++d) stats.count(devices.entries()[d].name, per_device[d]);
  return stats.done(*graph);
}

}  // namespace troupe
