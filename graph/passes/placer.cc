#include "graph/passes/placer.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// What tells kernels of an op apart: its types and its label.
void append_kinds(const Node& n, std::string* key) {
  for (const AttrDef& a : n.op->attrs) {
    if (a.kind != "type" && a.kind != "list(type)") continue;
    const AttrValue* value = n.attrs.find(a.name);
    if (value == nullptr) continue;
    if (const auto* type = value->get<DataType>()) {
      absl::StrAppend(key, " ", static_cast<int>(*type));
    } else {
      absl::StrAppend(key, " ", value->to_string());
    }
  }
  if (const AttrValue* label = n.attrs.find("_kernel")) absl::StrAppend(key, " ", label->to_string());
}

/// Only makes a value: it may go where that is wanted.
bool is_generator(const Node& n) {
  return n.inputs.empty() && n.num_outputs() == 1 && !is_ref(n.output_types[0]);
}

}  // namespace

Placer::Placer(const DeviceCatalog& devices, bool soft, const Graph& graph, int first_id,
               std::vector<int>* where)
    : devices_(devices), soft_(soft), graph_(graph), first_(first_id), where_(*where),
      groups_(static_cast<size_t>(graph.num_ids() - first_id)) {
  for (const auto& e : devices.entries()) names_.push_back(*DeviceName::parse(e.name));
}

absl::Status Placer::run() {
  TROUPE_RETURN_IF_ERROR(join());
  TROUPE_RETURN_IF_ERROR(assign_all());
  if (remembered_made_ != nullptr) remember();
  return absl::OkStatus();
}

absl::Status Placer::join() {
  if (names_.empty()) return absl::FailedPreconditionError("No devices are registered");
  for (int id = first_; id < graph_.num_ids(); ++id) {
    const Node& n = graph_.node(id);
    if (n.removed()) continue;
    if (where_[id] >= 0) {
      TROUPE_RETURN_IF_ERROR(check_assigned(n));
      continue;
    }
    // An op that is gone has all its attrs; other defects are of attrs.
    if (leave_open_groups_ && !n.defect.ok() && !absl::IsUnimplemented(n.defect)) continue;
    TROUPE_RETURN_IF_ERROR(init(id));
  }
  TROUPE_RETURN_IF_ERROR(enter_calls());
  TROUPE_RETURN_IF_ERROR(join_resources());
  return join_classes();
}

absl::Status Placer::init(int id) {
  const Node& n = graph_.node(id);
  Group& g = own(id);
  g.parent = id;
  TROUPE_ASSIGN_OR_RETURN(g.wish, wish_of(n));
  // A wish of a node that makes a variable stands, whoever else is in the group.
  if (n.inputs.empty() && n.num_outputs() == 1 &&
      (is_ref(n.output_types[0]) || n.output_types[0] == DataType::kResource)) {
    g.resource = g.wish;
  }
  TROUPE_ASSIGN_OR_RETURN(g.support, support_of(n, &g.unknown));
  if (!g.unknown) return absl::OkStatus();
  if (is_elsewhere(n, g.wish)) {
    g.unknown = false;
  } else if (!leave_unknown_ops_) {
    return no_kernel(n);
  }
  return absl::OkStatus();
}

/// Who gave it its device has made a mistake.
absl::Status Placer::check_assigned(const Node& n) {
  const int at = where_[n.id];
  if (at >= static_cast<int>(names_.size())) return no_such_assigned_device(n, at);
  bool unknown = false;
  TROUPE_ASSIGN_OR_RETURN(const int support, support_of(n, &unknown));
  if (supports_[support][at] && !unknown) return absl::OkStatus();
  return devices_.entries()[at].local ? no_kernel_where_assigned(n, at) : absl::OkStatus();
}

absl::StatusOr<int> Placer::wish_of(const Node& n) {
  if (n.requested_device.empty()) return kNone;
  const auto [it, is_new] = wish_numbers_.try_emplace(n.requested_device, kNone);
  if (!is_new) return it->second;
  auto name = DeviceName::parse(n.requested_device);
  if (!name) return malformed_device(n);
  if (!name->empty()) it->second = add_wish(*std::move(name));
  return it->second;
}

int Placer::wish_for(int device) {
  const auto [it, is_new] = wish_numbers_.try_emplace(devices_.entries()[device].name, kNone);
  if (is_new) it->second = add_wish(names_[device]);
  return it->second;
}

int Placer::add_wish(DeviceName name) {
  wishes_.push_back(std::move(name));
  return static_cast<int>(wishes_.size()) - 1;
}

int Placer::add_support(Support support) {
  for (size_t i = 0; i < std::min<size_t>(supports_.size(), 16); ++i) {
    if (supports_[i] == support) return static_cast<int>(i);
  }
  supports_.push_back(std::move(support));
  return static_cast<int>(supports_.size()) - 1;
}

absl::StatusOr<int> Placer::support_of(const Node& n, bool* unknown) {
  key_ = n.op->name;
  append_kinds(n, &key_);
  if (auto known = support_numbers_.find(key_); known != support_numbers_.end()) {
    *unknown = known->second.second;
    return known->second.first;
  }
  Support support;
  bool any = false;
  for (size_t d = 0; d < names_.size(); ++d) {
    const auto& entry = devices_.entries()[d];
    if (d > 0 && entry.type == devices_.entries()[d - 1].type) {
      support.push_back(support.back());
      continue;
    }
    TROUPE_ASSIGN_OR_RETURN(DeviceCatalog::Support s, devices_.kernel_support(*n.op, n.attrs, entry.type));
    support.push_back(s.supported ? std::optional<int>(s.priority) : std::nullopt);
    any |= s.supported;
  }
  if (!any) {
    *unknown = absl::StrContains(devices_.kernels_of(n.op->name), "<no registered kernels>");
    if (!*unknown) return no_kernel(n);
    support.assign(names_.size(), 0);
  }
  const int number = add_support(std::move(support));
  support_numbers_[key_] = {number, *unknown};
  return number;
}

/// Another process, for which the node asks by job, replica and task, may have kernels that are unknown here.
bool Placer::is_elsewhere(const Node& n, int wish) const {
  if (wish == kNone || graph_.ops().find(n.op->name) != n.op || !wishes_[wish].has_full_task()) return false;
  const auto& entries = devices_.entries();
  for (size_t d = 0; d < entries.size(); ++d) {
    if (entries[d].local) return names_[d].has_full_task() && !names_[d].same_address_space(wishes_[wish]);
  }
  return false;
}

absl::Status Placer::assign_all() {
  std::vector<int> generators;
  for (int id = first_; id < graph_.num_ids(); ++id) {
    if (!is_member(id)) continue;
    if (is_generator(graph_.node(id))) {
      generators.push_back(id);
    } else {
      TROUPE_RETURN_IF_ERROR(assign(id, preferred_of(id)));
    }
  }
  for (size_t i = 0; i < callers_.size(); ++i) {
    TROUPE_RETURN_IF_ERROR(assign(graph_.num_ids() + static_cast<int>(i), kNone));
  }
  if (generators.empty()) return absl::OkStatus();
  const std::vector<int> common = common_devices(generators);
  for (int id : generators) TROUPE_RETURN_IF_ERROR(assign(id, common[id - first_]));
  return absl::OkStatus();
}

/// Shape, Size and Rank go where their input is.
int Placer::preferred_of(int id) const {
  const Node& n = graph_.node(id);
  if ((n.is("Shape") || n.is("Size") || n.is("Rank")) && n.num_inputs() == 1 && n.inputs[0].node >= 0)
    return where_[n.inputs[0].node];
  return kNone;
}

/// By node from `first_` on: the device of all consumers of a generator, or kNone.
std::vector<int> Placer::common_devices(const std::vector<int>& generators) const {
  constexpr int kOpen = -2, kIgnored = -3;
  std::vector<int> common(static_cast<size_t>(graph_.num_ids() - first_), kIgnored);
  for (int id : generators) common[id - first_] = kOpen;
  auto use = [&](int producer, int device) {
    if (producer < first_ || common[producer - first_] == kIgnored) return;
    int& c = common[producer - first_];
    c = c == kOpen || c == device ? device : kNone;
  };
  for (int id = first_; id < graph_.num_ids(); ++id) {
    const Node& n = graph_.node(id);
    if (n.removed()) continue;
    for (Endpoint e : n.inputs) use(e.node, where_[id]);
    for (int c : n.control_inputs) use(c, where_[id]);
  }
  for (int& c : common) c = std::max(c, kNone);
  return common;
}

absl::Status Placer::assign(int id, int preferred) {
  Group& g = group_of(id);
  if (own(id).unknown || g.open) return absl::OkStatus();
  TROUPE_RETURN_IF_ERROR(choose(id, preferred, &g));
  if (is_node(id)) where_[id] = g.device;
  return absl::OkStatus();
}

absl::Status Placer::choose(int id, int preferred, Group* g) {
  if (g->device >= 0) return supports_[g->support][g->device] ? absl::OkStatus() : no_device_for(id, *g);
  DeviceName want = g->wish == kNone ? DeviceName() : wishes_[g->wish];
  g->device = best(*g, want, preferred);
  if (g->device < 0 && soft_) {
    // What variables ask for is the last to be given up.
    const DeviceName asked = g->resource == kNone ? DeviceName() : wishes_[g->resource];
    want.type = asked.type;
    want.id = asked.id;
    g->device = best(*g, want, preferred);
    want.type.reset();
    want.id.reset();
    if (g->device < 0) g->device = best(*g, want, preferred);
  }
  return g->device >= 0 ? absl::OkStatus() : no_device_for(id, *g);
}

int Placer::best(const Group& g, const DeviceName& want, int preferred) const {
  const Support& support = supports_[g.support];
  int found = kNone;
  for (int d = 0; d < static_cast<int>(names_.size()); ++d) {
    if (!support[d] || !want.is_specification_of(names_[d])) continue;
    if (d == preferred) return d;
    if (found < 0 || better(support, d, found)) found = d;
  }
  return found;
}

bool Placer::better(const Support& support, int a, int b) const {
  const auto& x = devices_.entries()[a];
  const auto& y = devices_.entries()[b];
  if (*support[a] != *support[b]) return *support[a] > *support[b];
  if (x.priority != y.priority) return x.priority > y.priority;
  if (x.local != y.local) return x.local;
  return x.name < y.name;
}

}  // namespace troupe
