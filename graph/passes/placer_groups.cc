#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/passes/inliner.h"
#include "graph/passes/placer.h"

namespace troupe {
namespace {

/// A called function finds resources where they are.
bool takes_resources_from_elsewhere(const Graph& graph, const Node& n) {
  return n.is("IdentityN") || graph.ops().find(n.op->name) != n.op || takes_functions(*n.op);
}

/// As TensorFlow tells them: by the name.
bool is_dataset(const OpDef& op) {
  if (op.outputs.size() != 1 || op.outputs[0].type != DataType::kVariant) return false;
  absl::string_view name = op.name;
  if (name == "DatasetFromGraph" || absl::EndsWith(name, "Dataset")) return true;
  while (!name.empty() && absl::ascii_isdigit(name.back())) name.remove_suffix(1);
  return name.size() < op.name.size() && absl::EndsWith(name, "DatasetV");
}

bool makes_resources_in_a_function(const Graph& graph, const Node& n) {
  return Inliner::is_call(*n.op) || graph.ops().find(n.op->name) != n.op;
}

}  // namespace

int Placer::find(int id) {
  while (own(id).parent != id) id = own(id).parent = own(own(id).parent).parent;
  return id;
}

absl::Status Placer::join_resources() {
  for (int id = first_; id < graph_.num_ids(); ++id) {
    const Node& n = graph_.node(id);
    if (!n.removed()) TROUPE_RETURN_IF_ERROR(join_inputs(n));
  }
  return absl::OkStatus();
}

absl::Status Placer::join_inputs(const Node& n) {
  bool exempt = false, asked = false;
  for (int s = 0; s < n.num_inputs(); ++s) {
    const Endpoint e = n.inputs[s];
    const DataType type = n.input_types[s];
    if (e.node < 0) continue;
    if (type == DataType::kVariant) {
      if (is_dataset(*n.op) && is_dataset(*graph_.node(e.node).op))
        TROUPE_RETURN_IF_ERROR(join_across_edge(e.node, n.id));
      continue;
    }
    if (!is_ref(type) && type != DataType::kResource) continue;
    if (!asked) exempt = takes_resources_from_elsewhere(graph_, n);
    asked = true;
    if (!exempt) {
      TROUPE_RETURN_IF_ERROR(join_input(e, n.id));
    } else if (auto taken = taken_.find({n.id, s}); taken != taken_.end()) {
      TROUPE_RETURN_IF_ERROR(join_input(e, taken->second));
    }
  }
  return absl::OkStatus();
}

absl::Status Placer::join_across_edge(int src, int dst) {
  if (!is_member(src) || !is_member(dst)) return anchor_across_edge(src, dst);
  const int a = find(src), b = find(dst);
  if (leave_open_groups_ && is_node(src) && makes_resources_in_a_function(graph_, graph_.node(src)))
    own(a).open = true;
  if (a == b) return absl::OkStatus();
  Group& from = own(a);
  Group& to = own(b);
  if (from.device >= 0 && to.device >= 0 && from.device != to.device) {
    return incompatible("assigned", names_[from.device].to_string(), names_[to.device].to_string(), src, dst);
  }
  if (!compatible(from.resource, to.resource)) {
    return incompatible("resource", text_of(from.resource), text_of(to.resource), src, dst);
  }
  // The source decides where both are.
  if (!compatible(from.wish, to.wish)) {
    to.wish = from.wish;
    if (to.device >= 0) {
      to.wish = wish_for(to.device);
    } else if (to.resource != kNone) {
      TROUPE_ASSIGN_OR_RETURN(to.wish,
                              merge_wishes(to.wish, to.resource, DeviceName::OnConflict::kTakeOther));
    }
  }
  absl::Status joined = merge(src, dst);
  if (joined.ok()) return joined;
  return absl::InvalidArgumentError(absl::StrCat(
      "Nodes were connected by a reference or resource connection (requiring them to be on the same "
      "device), but the two nodes were assigned two different devices: ",
      joined.message(), explain(src, dst), "\n\t [[{{node ", node_of(dst).name, "}}]]"));
}

/// One of both has its device already, or will not have one.
absl::Status Placer::anchor_across_edge(int src, int dst) {
  const bool by_src = is_member(dst);
  if (!by_src && !is_member(src)) return absl::OkStatus();
  const int at = where_[by_src ? src : dst];
  if (at >= 0) return anchor(by_src ? dst : src, at, src, dst);
  group_of(by_src ? dst : src).open |=
      leave_open_groups_ && by_src && makes_resources_in_a_function(graph_, graph_.node(src));
  return absl::OkStatus();
}

/// `member`, which is one end of the edge, has to be where the other end is.
absl::Status Placer::anchor(int member, int at, int src, int dst) {
  Group& g = group_of(member);
  const bool by_src = member == dst;
  const std::string there = names_[at].to_string();
  if (g.device >= 0 && g.device != at) {
    const std::string here = names_[g.device].to_string();
    return incompatible("assigned", by_src ? there : here, by_src ? here : there, src, dst);
  }
  // With soft placement what a variable asked for may not have been met.
  if (g.resource != kNone && !soft_ && !wishes_[g.resource].is_specification_of(names_[at])) {
    const std::string here = text_of(g.resource);
    return incompatible("resource", by_src ? there : here, by_src ? here : there, src, dst);
  }
  settle(&g, at);
  return absl::OkStatus();
}

/// Where a group is stands above what its members ask for.
void Placer::settle(Group* g, int at) {
  g->device = at;
  g->wish = wish_for(at);
}

absl::Status Placer::join_classes() {
  absl::flat_hash_map<std::string, int> local;
  absl::flat_hash_map<std::string, int>& first_of = classes_ != nullptr ? *classes_ : local;
  for (int id = first_; id < graph_.num_ids(); ++id) {
    if (!is_member(id)) continue;
    const AttrValue* classes = graph_.node(id).attrs.find("_class");
    const auto* list = classes == nullptr ? nullptr : classes->get<std::vector<std::string>>();
    if (list == nullptr) continue;
    for (const std::string& c : *list) {
      if (!absl::StartsWith(c, "loc:@")) continue;
      const Node* leader = graph_.find(absl::string_view(c).substr(5));
      const int other = leader != nullptr ? leader->id : first_of.try_emplace(c, id).first->second;
      if (other != id) TROUPE_RETURN_IF_ERROR(join_class(id, other));
    }
  }
  return absl::OkStatus();
}

/// With soft placement a class that cannot be kept is none.
absl::Status Placer::join_class(int id, int leader) {
  absl::Status joined;
  if (is_member(leader)) {
    joined = merge(id, leader);
  } else if (const int at = where_[leader]; at >= 0) {
    Group& g = group_of(id);
    DeviceName wish = g.device >= 0 ? names_[g.device] : g.wish == kNone ? DeviceName() : wishes_[g.wish];
    const bool soft_wish = soft_ && g.device < 0 && g.resource == kNone;
    joined = wish.merge(names_[at],
                        soft_wish ? DeviceName::OnConflict::kTakeOther : DeviceName::OnConflict::kError);
    if (joined.ok()) {
      settle(&g, at);
    } else {
      joined = cannot_colocate(id, leader, joined);
    }
  }
  if (joined.ok() || soft_) return absl::OkStatus();
  const std::string members = is_member(leader) ? explain(id, leader) : "";
  return annotate(joined, "", absl::StrCat(members, "\n\t [[{{node ", graph_.node(id).name, "}}]]"));
}

bool Placer::compatible(int a, int b) const {
  return a == b || a == kNone || b == kNone || wishes_[a].compatible_with(wishes_[b]);
}

absl::StatusOr<int> Placer::merge_wishes(int a, int b, DeviceName::OnConflict conflict) {
  if (a == b || b == kNone) return a;
  if (a == kNone) return b;
  DeviceName joined = wishes_[a];
  TROUPE_RETURN_IF_ERROR(joined.merge(wishes_[b], conflict));
  return joined == wishes_[a] ? a : joined == wishes_[b] ? b : add_wish(std::move(joined));
}

/// What both support. Priorities count when one side alone has some, or both put the device types into the same order.
Placer::Support Placer::merge_supports(Support a, Support b) const {
  for (size_t d = 0; d < a.size(); ++d) {
    if (!a[d] || !b[d]) a[d] = b[d] = std::nullopt;
  }
  auto has_priorities = [](const Support& s) {
    return std::any_of(s.begin(), s.end(), [](const auto& p) { return p.value_or(0) != 0; });
  };
  if (!has_priorities(b)) return a;
  if (!has_priorities(a)) return b;
  if (in_same_order(a, b)) return a;
  for (auto& priority : a) {
    if (priority) priority = 0;
  }
  return a;
}

bool Placer::in_same_order(const Support& a, const Support& b) const {
  const auto& entries = devices_.entries();
  for (int d = 0; d < static_cast<int>(a.size()); ++d) {
    for (int e = d + 1; e < static_cast<int>(a.size()); ++e) {
      if (!a[d] || !a[e] || entries[d].type == entries[e].type) continue;
      if (better(a, d, e) != better(b, d, e)) return false;
    }
  }
  return true;
}

/// Joins the groups of two members; unchanged when they cannot be together.
absl::Status Placer::merge(int a, int b) {
  int keep = find(a), drop = find(b);
  if (keep == drop) return absl::OkStatus();
  if (own(keep).rank < own(drop).rank) std::swap(keep, drop);
  Group& g = own(keep);
  const Group& other = own(drop);
  if (g.device >= 0 && other.device >= 0 && g.device != other.device) {
    return cannot_colocate(a, b, DeviceName(names_[g.device]).merge(names_[other.device]));
  }
  auto resource = merge_wishes(g.resource, other.resource, DeviceName::OnConflict::kError);
  if (!resource.ok()) return cannot_colocate(a, b, resource.status());
  auto wish = merge_wishes(g.wish, other.wish,
                           soft_ ? DeviceName::OnConflict::kDrop : DeviceName::OnConflict::kError);
  if (wish.ok()) wish = merge_wishes(*wish, *resource, DeviceName::OnConflict::kTakeOther);
  if (!wish.ok()) return cannot_colocate(a, b, wish.status());
  int support = g.support;
  if (support != other.support) {
    Support both = merge_supports(supports_[support], supports_[other.support]);
    const bool possible = std::any_of(both.begin(), both.end(), [](const auto& p) { return p.has_value(); });
    if (!possible) return cannot_colocate(a, b, absl::OkStatus());
    support = add_support(std::move(both));
  }
  g.rank += g.rank == other.rank;
  g.resource = *resource;
  g.wish = *wish;
  g.support = support;
  g.device = std::max(g.device, other.device);
  g.open |= other.open;
  own(drop).parent = keep;
  return absl::OkStatus();
}

}  // namespace troupe
