#include "graph/passes/inline_functions.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/algorithm.h"
#include "graph/passes/inliner.h"

namespace troupe {

bool Inliner::is_call(const OpDef& op) {
  static const auto* kCalls =
      new absl::flat_hash_set<absl::string_view>{"PartitionedCall", "StatefulPartitionedCall",
                                                 "RemoteCall",      "If",
                                                 "StatelessIf",     "Case",
                                                 "StatelessCase",   "While",
                                                 "StatelessWhile",  "For",
                                                 "SymbolicGradient"};
  return kCalls->contains(op.name);
}

/// Nodes that may be dead, or run many times: behind a Switch, or in a loop.
void Inliner::find_conditional_nodes() {
  conditional_.assign(graph_.num_ids(), false);
  ConsumerIndex consumers(graph_);
  std::vector<int> sources;
  for (int i = 0; i < graph_.num_ids(); ++i) {
    const Node& n = graph_.node(i);
    if (!n.removed() && is_control_flow(*n.op)) sources.push_back(i);
  }
  conditional_ = reachable(graph_, consumers, sources);
}

absl::StatusOr<PassStats> Inliner::run() {
  PassStats stats("inline_functions", graph_);
  const int before = graph_.num_ids();
  auto calls = [&](int i) {
    const Node& n = graph_.node(i);
    return !n.removed() && (is_call(*n.op) || graph_.ops().find(n.op->name) != n.op);
  };
  int first = 0;
  while (first < before && !calls(first)) ++first;
  if (first == before) return stats.done(graph_);
  if (!within_.empty()) called_.walk_from(within_);
  called_.walk_from(graph_);
  find_conditional_nodes();
  frame_of_.assign(before, -1);
  awaited_.assign(before, false);
  for (int i = 0; i < before; ++i) {
    for (int c : graph_.node(i).control_inputs) awaited_[c] = true;
  }
  for (int root : draft_.roots) awaited_[root] = true;
  // Bodies are added behind: calls in them come up later in the same walk.
  for (int i = first; i < graph_.num_ids(); ++i) {
    if (calls(i)) TROUPE_RETURN_IF_ERROR(expand(i));
  }
  outputs_.apply(&graph_);
  for (int i = 0; i < graph_.num_ids(); ++i) {
    for (int& c : graph_.node(i).control_inputs) {
      if (auto it = done_.find(c); it != done_.end()) c = it->second;
    }
  }
  for (int& root : draft_.roots) {
    if (auto it = done_.find(root); it != done_.end()) root = it->second;
  }
  if (auto order = topological_order(graph_); !order.ok()) {
    return annotate(order.status(), "after inlining functions: ");
  }
  return stats.count("calls", calls_)
      .count("branches", branches_)
      .count("loops", loops_)
      .count("called", left_)
      .done(graph_);
}

Inliner::Call Inliner::describe(int id) const {
  const Node& n = graph_.node(id);
  Call call;
  call.id = id;
  call.name = n.name;
  call.op = n.op;
  call.attrs = n.attrs;
  call.device = n.requested_device;
  call.frame = id < static_cast<int>(frame_of_.size()) ? frame_of_[id] : -1;
  call.conditional = id < static_cast<int>(conditional_.size()) && conditional_[id];
  call.awaited = id < static_cast<int>(awaited_.size()) && awaited_[id];
  call.inputs.assign(n.inputs.begin(), n.inputs.end());
  call.controls.assign(n.control_inputs.begin(), n.control_inputs.end());
  for (int& c : call.controls) {
    if (auto it = done_.find(c); it != done_.end()) c = it->second;
  }
  call.input_types.assign(n.input_types.begin(), n.input_types.end());
  call.output_types.assign(n.output_types.begin(), n.output_types.end());
  return call;
}

absl::Status Inliner::expand(int id) {
  Call call = describe(id);
  auto located = [&](const absl::Status& s) {
    return s.ok() ? s : annotate(s, "", absl::StrCat("\n\t [[{{node ", call.name, "}}]]"));
  };
  // What an input really is may have been decided since: that tells a Switch from others.
  for (Endpoint& e : call.inputs) e = outputs_.resolve(e);
  auto left = callee_to_leave(call);
  if (!left.ok()) return located(left.status());
  if (left->has_value()) return located(leave_call(call, **left));
  if (call.op->name == "RemoteCall" && remote_target(call) == nullptr) return absl::OkStatus();
  if (leaves_branches(call)) return absl::OkStatus();
  graph_.remove_node(id);
  absl::Status status;
  const std::string& op = call.op->name;
  if (graph_.ops().find(op) != call.op) {
    status = expand_call(call, op, call.attrs);
  } else if (op == "PartitionedCall" || op == "StatefulPartitionedCall") {
    auto f = function_attr(call, "f");
    status = !f.ok() ? f.status() : expand_call(call, f->name, f->attrs == nullptr ? AttrMap() : *f->attrs);
  } else if (op == "RemoteCall") {
    status = expand_remote_call(call);
  } else if (op == "If" || op == "StatelessIf") {
    status = expand_if(call);
  } else if (op == "Case" || op == "StatelessCase") {
    status = expand_case(call);
  } else if (op == "For") {
    status = expand_for(call);
  } else if (op == "SymbolicGradient") {
    status = expand_gradient(call);
  } else {
    status = expand_while(call);
  }
  if (status.ok() && graph_.num_nodes() > kMaxInlinedNodes) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("inlining the functions of this graph makes more than ", kMaxInlinedNodes, " nodes"));
  }
  return located(status);
}

absl::StatusOr<FunctionRef> Inliner::function_attr(const Call& call, absl::string_view name) const {
  return call.attrs.get<FunctionRef>(name);
}

/// The body of `ref`, which takes the call's inputs from `first_input` on.
absl::StatusOr<std::shared_ptr<const FunctionBody>> Inliner::checked_body(const Call& call,
                                                                          const FunctionRef& ref,
                                                                          size_t first_input) const {
  TROUPE_ASSIGN_OR_RETURN(auto body, bodies_.get(ref.name, ref.attrs == nullptr ? AttrMap() : *ref.attrs));
  const size_t have = call.inputs.size() - first_input;
  if (body->arg_types.size() != have) {
    return absl::InvalidArgumentError(absl::StrCat("Function ", ref.name, " expected ",
                                                   body->arg_types.size(), " inputs, got ", have, " from ",
                                                   call.op->name, " node ", call.name));
  }
  for (size_t i = 0; i < have; ++i) {
    DataType want = body->arg_types[i], got = call.input_types[first_input + i];
    if (base_type(want) == base_type(got)) continue;
    return absl::InvalidArgumentError(absl::StrCat("Function ", ref.name, ": argument ", i, " has type ",
                                                   dtype_name(want), ", but node ", call.name, " passes ",
                                                   dtype_name(got)));
  }
  return body;
}

absl::StatusOr<std::shared_ptr<const FunctionBody>> Inliner::body_of(const Call& call, const FunctionRef& ref,
                                                                     size_t first_input) const {
  TROUPE_ASSIGN_OR_RETURN(auto body, checked_body(call, ref, first_input));
  if (!must_call(*body, call.frame)) return body;
  return calling_body(*body);
}

absl::Status Inliner::check_results(const Call& call, const FunctionBody& body,
                                    absl::Span<const DataType> want) {
  if (body.ret_types.size() != want.size()) {
    return absl::InvalidArgumentError(absl::StrCat("Function ", body.name, " has ", body.ret_types.size(),
                                                   " results, but ", call.op->name, " node ", call.name,
                                                   " expects ", want.size()));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    if (base_type(body.ret_types[i]) == base_type(want[i])) continue;
    return absl::InternalError(absl::StrCat(
        "Output ", i, " of type ", dtype_name(body.ret_types[i]), " does not match declared output type ",
        dtype_name(want[i]), " for node {{node ", call.name, "}}; it calls function ", body.name));
  }
  return absl::OkStatus();
}

absl::StatusOr<Endpoint> Inliner::pass_on(const Call& call, size_t input) {
  if (call.controls.empty()) return call.inputs[input];
  TROUPE_ASSIGN_OR_RETURN(int same, add(call, absl::StrCat("passed_", input), "Identity",
                                        {{"T", base_type(call.input_types[input])}}, {call.inputs[input]},
                                        call.controls));
  return Endpoint{same, 0};
}

absl::StatusOr<int> Inliner::add(const Call& call, const std::string& name, absl::string_view op,
                                 AttrMap attrs, std::vector<Endpoint> inputs, std::vector<int> controls) {
  TROUPE_ASSIGN_OR_RETURN(Node * node, graph_.add_node(graph_.unique_name(absl::StrCat(call.name, "/", name)),
                                                       op, std::move(attrs), std::move(inputs),
                                                       std::move(controls), call.device));
  if (call.conditional) {
    conditional_.resize(node->id + 1);
    conditional_[node->id] = true;
  }
  return node->id;
}

absl::StatusOr<int> Inliner::token_for(const Call& call, const std::string& name, Endpoint e) {
  const Node& from = graph_.node(e.node);
  if (!from.removed() && !is_switch(*from.op) && !is_call(*from.op) &&
      graph_.ops().find(from.op->name) == from.op) {
    return e.node;
  }
  DataType type = from.output_types[e.slot];
  return add(call, name, is_ref(type) ? "RefIdentity" : "Identity", {{"T", base_type(type)}}, {e});
}

absl::StatusOr<std::vector<int>> Inliner::done_tokens(const Call& call, const std::string& prefix,
                                                      const Spliced& s) {
  if (!s.effects.empty()) {
    for (int e : s.effects) await(e);
    return s.effects;
  }
  std::vector<int> tokens;
  for (Endpoint e : s.rets) {
    TROUPE_ASSIGN_OR_RETURN(int token, token_for(call, absl::StrCat(prefix, "output_token"), e));
    if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  }
  return tokens;
}

absl::Status Inliner::finish(const Call& call, std::vector<int> after) {
  if (!call.awaited) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(Node * done,
                          graph_.add_node(call.name, "NoOp", {}, {}, std::move(after), call.device));
  done_[call.id] = done->id;
  if (call.conditional) {
    conditional_.resize(done->id + 1);
    conditional_[done->id] = true;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Inliner::needs_pivot(const Splice& in, const FunctionBody::BodyNode& node) const {
  // Sinks and sources of effects wait for the whole call.
  if (node.effect) return true;
  bool waits_inside = false, uses_arg = false, told_by_arg = false, silent_arg = false;
  for (Endpoint e : node.inputs) {
    if (!FunctionBody::is_arg(e)) {
      waits_inside = true;
    } else {
      uses_arg = true;
      const bool silent = in.silent[FunctionBody::arg_of(e)];
      told_by_arg |= !silent;
      silent_arg |= silent;
    }
  }
  for (int c : node.controls) waits_inside |= c >= 0;
  if (uses_arg && in.guard_args) return true;
  // A call may hand an argument on: it has to know itself whether it runs.
  if (silent_arg && (is_call(*node.op) || graph_.ops().find(node.op->name) != node.op)) return true;
  if (waits_inside || told_by_arg) return false;
  // A source: it has to be told whether, and how often, it runs.
  return in.conditional || node.op->is_stateful || uses_arg;
}

absl::StatusOr<Inliner::Spliced> Inliner::splice(const Call& call, const Splice& in) {
  const FunctionBody& body = *in.body;
  const int frame = static_cast<int>(frames_.size());
  frames_.push_back({&body, call.frame});
  std::vector<int> ids;
  ids.reserve(body.nodes.size());
  Spliced out;
  for (const auto& n : body.nodes) {
    std::string name = graph_.unique_name(absl::StrCat(in.prefix, n.name));
    TROUPE_ASSIGN_OR_RETURN(Node * node, graph_.add_node(std::move(name), n.op, n.attrs));
    node->requested_device = n.device.empty() ? call.device : n.device;
    ids.push_back(node->id);
  }
  const size_t end = graph_.num_ids();
  if (frame_of_.size() < end) frame_of_.resize(end, -1);
  if (conditional_.size() < end) conditional_.resize(end);
  if (awaited_.size() < end) awaited_.resize(end);
  auto map = [&](Endpoint e) {
    return FunctionBody::is_arg(e) ? in.args[FunctionBody::arg_of(e)] : Endpoint{ids[e.node], e.slot};
  };
  for (size_t i = 0; i < body.nodes.size(); ++i) {
    const auto& n = body.nodes[i];
    const int id = ids[i];
    frame_of_[id] = frame;
    conditional_[id] = in.conditional;
    awaited_[id] = n.awaited;
    for (size_t s = 0; s < n.inputs.size(); ++s) graph_.node(id).inputs[s] = map(n.inputs[s]);
    std::vector<int> controls;
    for (int c : n.controls) {
      if (c >= 0) controls.push_back(ids[c]);
    }
    graph_.add_control_inputs(id, controls);
    TROUPE_ASSIGN_OR_RETURN(bool wait, needs_pivot(in, n));
    if (wait || std::any_of(n.controls.begin(), n.controls.end(), [](int c) { return c < 0; })) {
      TROUPE_ASSIGN_OR_RETURN(int pivot, in.pivot());
      if (pivot >= 0) graph_.add_control_input(id, pivot);
    }
    if (n.effect) {
      out.effects.push_back(id);
      draft_.roots.push_back(id);
      await(id);
    }
  }
  out.rets.reserve(body.rets.size());
  for (Endpoint e : body.rets) out.rets.push_back(map(e));
  return out;
}

absl::StatusOr<PassStats> inline_functions(Draft* draft, const std::string& within,
                                           const FunctionDifferentiator* differentiator, InlineScope scope) {
  return Inliner(draft, within, differentiator, scope).run();
}

}  // namespace troupe
