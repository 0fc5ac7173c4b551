// The part of the inliner that leaves calls in place: of functions that are called at run time.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/passes/inliner.h"

namespace troupe {
namespace {

bool has_effects(const FunctionBody& body) {
  return std::any_of(body.nodes.begin(), body.nodes.end(), [](const auto& n) { return n.effect; });
}

AttrMap call_attrs(const FunctionRef& f, const std::vector<DataType>& in, const std::vector<DataType>& out) {
  std::vector<DataType> tin, tout;
  for (DataType t : in) tin.push_back(base_type(t));
  for (DataType t : out) tout.push_back(base_type(t));
  return {{"f", f}, {"Tin", std::move(tin)}, {"Tout", std::move(tout)}};
}

/// A stateful call has effects of its own, and is never merged with another.
const OpDef* call_op(const Graph& graph, bool stateful) {
  return graph.ops().find(stateful ? "StatefulPartitionedCall" : "PartitionedCall");
}

}  // namespace

bool Inliner::must_call(const FunctionBody& body, int frame) const {
  if (called_.contains(body.name)) return true;
  for (int f = frame; f >= 0; f = frames_[f].parent) {
    if (frames_[f].body == &body) return true;
  }
  return false;
}

absl::StatusOr<std::shared_ptr<const FunctionBody>> Inliner::calling_body(const FunctionBody& body) const {
  std::shared_ptr<const FunctionBody>& known = calling_[&body];
  if (known != nullptr) return known;
  auto wrapper = std::make_shared<FunctionBody>();
  wrapper->name = body.name;
  wrapper->attrs = body.attrs;
  wrapper->arg_types = body.arg_types;
  wrapper->ret_types = body.ret_types;
  wrapper->arg_used.assign(body.arg_types.size(), true);
  FunctionBody::BodyNode node;
  node.name = body.name;
  node.effect = has_effects(body);
  node.op = call_op(graph_, node.effect);
  node.attrs = call_attrs({body.name, std::make_shared<AttrMap>(body.attrs)}, body.arg_types, body.ret_types);
  TROUPE_RETURN_IF_ERROR(complete_and_check_attrs(*node.op, &node.attrs));
  for (size_t i = 0; i < body.arg_types.size(); ++i) node.inputs.push_back({-1 - static_cast<int>(i), 0});
  for (size_t i = 0; i < body.ret_types.size(); ++i) {
    node.output_types.push_back(base_type(body.ret_types[i]));
    wrapper->rets.push_back({0, static_cast<int>(i)});
  }
  wrapper->nodes.push_back(std::move(node));
  known = std::move(wrapper);
  return known;
}

absl::StatusOr<std::optional<FunctionRef>> Inliner::callee_to_leave(const Call& call) const {
  const std::string& op = call.op->name;
  FunctionRef ref;
  if (graph_.ops().find(op) != call.op) {
    ref = {op, std::make_shared<AttrMap>(call.attrs)};
  } else if (op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "SymbolicGradient" ||
             (op == "RemoteCall" && remote_target(call) != nullptr)) {
    TROUPE_ASSIGN_OR_RETURN(ref, function_attr(call, "f"));
    if (op == "SymbolicGradient") {
      ref.name = graph_.library() == nullptr ? "" : graph_.library()->gradient_of(ref.name);
      if (ref.name.empty()) return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
  if (scope_ == InlineScope::kBranchesAndLoops) return ref;
  if (scope_ == InlineScope::kUnmarked && CalledFunctions::forbids_inlining(call.attrs)) return ref;
  TROUPE_ASSIGN_OR_RETURN(auto body, bodies_.get(ref.name, ref.attrs == nullptr ? AttrMap() : *ref.attrs));
  if (!must_call(*body, call.frame)) return std::nullopt;
  return ref;
}

bool Inliner::leaves_branches(const Call& call) const {
  const std::string& op = call.op->name;
  if (scope_ == InlineScope::kAll || graph_.ops().find(op) != call.op) return false;
  if (op != "If" && op != "StatelessIf" && op != "Case" && op != "StatelessCase") return false;
  return !call.attrs.get_or<bool>("_lower_using_switch_merge", false);
}

absl::Status Inliner::leave_call(const Call& call, const FunctionRef& ref) {
  ++left_;
  const bool remote = call.op->name == "RemoteCall";
  const Call at = remote ? without_target(call, *remote_target(call)) : call;
  TROUPE_ASSIGN_OR_RETURN(auto body, checked_body(at, ref, 0));
  TROUPE_RETURN_IF_ERROR(check_results(at, *body, at.output_types));
  Node& n = graph_.node(call.id);
  n.op = call_op(graph_, call.op->is_stateful || has_effects(*body));
  // Declared attrs only: what a caller carries beside them does not make it another function.
  n.attrs = call_attrs({ref.name, std::make_shared<AttrMap>(body->attrs)}, at.input_types, at.output_types);
  TROUPE_RETURN_IF_ERROR(complete_and_check_attrs(*n.op, &n.attrs));
  n.requested_device = at.device;
  if (remote) {
    n.inputs.erase(n.inputs.begin());
    n.device = -1;
  }
  n.input_types.clear();
  for (DataType t : at.input_types) n.input_types.push_back(base_type(t));
  return absl::OkStatus();
}

}  // namespace troupe
