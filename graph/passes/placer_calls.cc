// What calls return, as the placer's own members.
#include <algorithm>

#include "graph/passes/call_inspector.h"
#include "graph/passes/placer.h"

namespace troupe {
namespace {

bool returns_resources(const Node& n) {
  for (DataType type : n.output_types) {
    if (type == DataType::kResource) return true;
  }
  return false;
}

}  // namespace

absl::Status Placer::enter_calls() {
  for (int id = first_; id < graph_.num_ids(); ++id) {
    const Node& n = graph_.node(id);
    if (!n.removed() && returns_resources(n)) TROUPE_RETURN_IF_ERROR(enter_call(id));
  }
  return absl::OkStatus();
}

absl::Status Placer::enter_call(int id) {
  const Node& n = graph_.node(id);
  if (inspector_ == nullptr) {
    own_inspector_ = std::make_shared<CallInspector>(devices_, soft_, graph_);
    inspector_ = own_inspector_.get();
  }
  const std::optional<FunctionRef> callee = inspector_->callee_of(n);
  if (!callee) return absl::OkStatus();
  const bool stays = !inlined_later_ || inspector_->stays_a_call(n, callee->name);
  // What a function that stays makes is where the call turns out to be.
  TROUPE_ASSIGN_OR_RETURN(const CallResources* resources,
                          inspector_->inspect(*callee, stays ? "" : n.requested_device));
  // A call that does not fit its function is told to who runs it.
  if (resources == nullptr || static_cast<int>(resources->inputs.size()) != n.num_inputs() ||
      static_cast<int>(resources->outputs.size()) != n.num_outputs()) {
    return absl::OkStatus();
  }
  std::vector<int> members;
  for (const CallResources::Group& g : resources->groups) {
    members.push_back(add_returned(id, g, stays));
    if (!stays || g.is_taken || !g.resource.empty()) continue;
    if (is_member(id)) {
      TROUPE_RETURN_IF_ERROR(merge(id, members.back()));
    } else if (where_[id] >= 0) {
      settle(&own(members.back()), where_[id]);
    }
  }
  for (int s = 0; s < n.num_inputs(); ++s) {
    if (const int g = resources->inputs[s]; g >= 0) taken_[{id, s}] = members[g];
  }
  for (int s = 0; s < n.num_outputs(); ++s) {
    if (const int g = resources->outputs[s]; g >= 0) made_[{id, s}] = members[g];
  }
  return absl::OkStatus();
}

int Placer::add_returned(int call, const CallResources::Group& in, bool stays) {
  const int id = graph_.num_ids() + static_cast<int>(callers_.size());
  callers_.push_back(call);
  Group& g = groups_.emplace_back();
  g.parent = id;
  if (!in.resource.empty()) g.wish = g.resource = add_wish(in.resource);
  // A function that stays makes its own choice for what asks for nothing firmly.
  if (!in.wish.empty() && !stays) g.wish = add_wish(in.wish);
  g.support = add_support(in.support);
  return id;
}

absl::Status Placer::join_input(Endpoint e, int dst) {
  if (auto made = made_.find(e); made != made_.end()) return join_across_edge(made->second, dst);
  // What is fed is where the client is, and has no say in where placed nodes are.
  if (!is_node(dst) && !is_member(e.node) && graph_.node(e.node).is("_Arg")) return absl::OkStatus();
  if (remembered_made_ != nullptr) {
    auto known = remembered_made_->find(e);
    if (known != remembered_made_->end())
      return is_member(dst) ? anchor(dst, known->second, e.node, dst) : absl::OkStatus();
  }
  return join_across_edge(e.node, dst);
}

void Placer::remember() {
  for (const auto& [endpoint, member] : made_) {
    if (const Group& g = group_of(member); g.device >= 0) (*remembered_made_)[endpoint] = g.device;
  }
}

absl::StatusOr<std::optional<CallResources>> Placer::inspect() {
  leave_open_groups_ = true;
  TROUPE_RETURN_IF_ERROR(join());
  CallResources found;
  absl::flat_hash_map<int, int> numbers;
  for (int id = 0; id < graph_.num_ids(); ++id) {
    const Node& n = graph_.node(id);
    if (n.removed() || (!n.is("_Arg") && !n.is("_Retval"))) continue;
    const bool is_arg = n.is("_Arg");
    std::vector<int>& slots = is_arg ? found.inputs : found.outputs;
    const size_t slot = static_cast<size_t>(n.attrs.get_or<int64_t>("index", 0));
    slots.resize(std::max(slots.size(), slot + 1), kNone);
    if ((is_arg ? n.output_types : n.input_types)[0] != DataType::kResource) continue;
    const Group& g = group_of(id);
    if (g.open) return std::nullopt;
    const auto [number, is_new] = numbers.try_emplace(find(id), static_cast<int>(found.groups.size()));
    if (is_new) {
      found.groups.push_back({.wish = g.wish == kNone ? DeviceName() : wishes_[g.wish],
                              .resource = g.resource == kNone ? DeviceName() : wishes_[g.resource],
                              .support = supports_[g.support]});
    }
    found.groups[number->second].is_taken |= is_arg;
    slots[slot] = number->second;
  }
  return found;
}

}  // namespace troupe
