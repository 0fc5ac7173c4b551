// What the placer says when it cannot.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/passes/placer.h"

namespace troupe {
namespace {

std::string list_devices(const DeviceCatalog& devices) {
  return absl::StrJoin(devices.entries(), ", ",
                       [](std::string* o, const auto& e) { absl::StrAppend(o, e.name); });
}

std::string list_attrs(const Node& n) {
  return absl::StrJoin(n.attrs, ", ", [](std::string* o, const AttrMap::Entry& a) {
    absl::StrAppend(o, a.first, "=", a.second.to_string());
  });
}

/// More members of a group are counted, not named.
constexpr int kMaxNamedMembers = 100;

std::string described(const Node& n) { return absl::StrCat("name='", n.name, "' (op='", n.op->name, "')"); }

bool is_gpu(const DeviceName& name) { return name.type && absl::EqualsIgnoreCase(*name.type, "gpu"); }

}  // namespace

absl::Status Placer::malformed_device(const Node& n) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Malformed device specification '", n.requested_device, "' in node: {name:'", n.name, "' id:", n.id + 2,
      " op device:{requested: '", n.requested_device, "', assigned: ''} def:{{{node ", n.name,
      "}} = ", n.op->name, "[]()}}\n\t [[", n.name, "]]"));
}

absl::Status Placer::no_kernel(const Node& n) const {
  std::vector<std::string> types;
  for (const auto& e : devices_.entries()) types.push_back(e.type);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return absl::InvalidArgumentError(absl::StrCat(
      "No OpKernel was registered to support Op '", n.op->name, "' used by {{node ", n.name,
      "}} with these attrs: [", list_attrs(n), "]\nRegistered devices: [", absl::StrJoin(types, ", "),
      "]\nRegistered kernels:\n", devices_.kernels_of(n.op->name), "\n\t [[", n.name, "]]"));
}

absl::Status Placer::no_such_assigned_device(const Node& n, int at) const {
  return absl::InternalError(absl::StrCat("Assigned device ", at, " of {{node ", n.name,
                                          "}} does not match any device. Available devices are [ ",
                                          list_devices(devices_), " ]"));
}

absl::Status Placer::no_kernel_where_assigned(const Node& n, int at) const {
  return absl::InternalError(absl::StrCat("Assigned device '", devices_.entries()[at].name, "' of {{node ",
                                          n.name, "}} does not have registered OpKernel support for ",
                                          n.op->name));
}

absl::Status Placer::incompatible(const char* which, const std::string& of_src, const std::string& of_dst,
                                  int src, int dst) const {
  return absl::InvalidArgumentError(
      absl::StrCat("Cannot place the graph because a reference or resource edge connects colocation groups "
                   "with incompatible ",
                   which, " devices: ", of_src, " vs ", of_dst, ". The edge src node is ",
                   described(node_of(src)), ", and the dst node is ", described(node_of(dst)), "."));
}

absl::Status Placer::cannot_colocate(int a, int b, const absl::Status& why) const {
  return absl::InvalidArgumentError(
      absl::StrCat("Cannot colocate nodes {{colocation_node ", node_of(a).name, "}} and {{colocation_node ",
                   node_of(b).name, "}}",
                   why.ok() ? " because no device type supports both of those nodes and the other nodes "
                              "colocated with them."
                            : absl::StrCat(": ", why.message())));
}

/// Who is in two groups that have no device in common. Apart from cannot_colocate, whose errors soft placement drops.
std::string Placer::explain(int a, int b) {
  const Support &of_a = supports_[group_of(a).support], &of_b = supports_[group_of(b).support];
  for (size_t d = 0; d < of_a.size(); ++d) {
    if (of_a[d] && of_b[d]) return "";
  }
  return absl::StrCat(describe_group(find(a)), describe_group(find(b)));
}

absl::Status Placer::no_device_for(int id, const Group& g) {
  const Node& n = node_of(id);
  const std::string begin = absl::StrCat("Cannot assign a device for operation ", n.name, ": ");
  const std::string end = absl::StrCat("\n\t [[{{node ", n.name, "}}]]");
  const std::string could_not =
      absl::StrCat("Could not satisfy explicit device specification '", n.requested_device, "'");
  const std::optional<DeviceName> asked = DeviceName::parse(n.requested_device);
  const DeviceName want = g.device >= 0 ? names_[g.device] : g.wish == kNone ? DeviceName() : wishes_[g.wish];
  if (!asked || *asked != want) {
    return absl::InvalidArgumentError(absl::StrCat(
        begin, could_not, " because the node {{colocation_node ", n.name,
        "}} was colocated with a group of nodes that required incompatible device '", want.to_string(),
        "'. All available devices [", list_devices(devices_), "]. ", describe_group(find(id)), end));
  }
  const bool exists = std::any_of(names_.begin(), names_.end(),
                                  [&](const DeviceName& d) { return want.is_specification_of(d); });
  if (!exists) {
    return absl::InvalidArgumentError(absl::StrCat(
        begin, "{{node ", n.name, "}} was explicitly assigned to ", n.requested_device,
        " but available devices are [ ", list_devices(devices_),
        " ]. Make sure the device specification refers to a valid device.",
        is_gpu(want) ? " The requested device appears to be a GPU, but CUDA is not enabled." : "", "\n\t [[",
        n.name, "]]"));
  }
  if (!want.type)
    return absl::InvalidArgumentError(absl::StrCat(begin, could_not, describe_group(find(id)), end));
  return absl::InvalidArgumentError(absl::StrCat(
      begin, could_not, " because no supported kernel for ", *want.type, " devices is available.",
      describe_group(find(id)), "\nOp: ", n.op->name, "\nNode attrs: ", list_attrs(n),
      "\nRegistered kernels:\n", devices_.kernels_of(n.op->name), end));
}

/// "FakeGPU FakeCPU ", best first.
std::string Placer::types_of(const Support& support) const {
  std::vector<int> best_first;
  for (size_t d = 0; d < support.size(); ++d) {
    if (support[d]) best_first.push_back(static_cast<int>(d));
  }
  std::sort(best_first.begin(), best_first.end(), [&](int a, int b) { return better(support, a, b); });
  std::vector<std::string> types;
  for (int d : best_first) {
    const std::string& type = devices_.entries()[d].type;
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  return absl::StrCat(absl::StrJoin(types, " "), " ");
}

/// Linear in the graph: for errors only.
std::string Placer::describe_group(int root) {
  std::vector<std::string> ops;
  std::string types, members;
  int count = 0;
  for (int id = first_; id < graph_.num_ids(); ++id) {
    if (!is_member(id) || find(id) != root) continue;
    const Node& n = graph_.node(id);
    if (++count > kMaxNamedMembers) continue;
    absl::StrAppend(&members, "\n  ", n.name, " (", n.op->name, ") ", n.requested_device);
    if (where_[id] >= 0)
      absl::StrAppend(&members, " framework assigned device=", devices_.entries()[where_[id]].name);
    if (std::find(ops.begin(), ops.end(), n.op->name) != ops.end()) continue;
    ops.push_back(n.op->name);
    bool unknown = false;
    if (auto support = support_of(n, &unknown); support.ok())
      absl::StrAppend(&types, "\n", n.op->name, ": ", types_of(supports_[*support]));
  }
  if (count > kMaxNamedMembers) absl::StrAppend(&members, "\n  and ", count - kMaxNamedMembers, " more");
  return absl::StrCat(
      "\nColocation Debug Info:\nColocation group had the following types and supported devices: ", types,
      "\n\nColocation members, user-requested devices, and framework assigned devices, if any:", members,
      "\n");
}

}  // namespace troupe
