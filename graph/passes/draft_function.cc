#include "graph/passes/draft_function.h"

#include "absl/strings/str_cat.h"
#include "graph/passes/function_body.h"

namespace troupe {
namespace {

/// What TensorFlow calls the nodes of a function's arguments or results, one for each slot: "x", "x_0" in a list.
absl::StatusOr<std::vector<std::string>> slot_names(const std::vector<ArgDef>& defs, const AttrMap& attrs,
                                                    absl::string_view suffix) {
  TROUPE_ASSIGN_OR_RETURN(auto ranges, arg_ranges(defs, attrs));
  std::vector<std::string> names;
  for (size_t i = 0; i < defs.size(); ++i) {
    const bool list = !defs[i].number_attr.empty() || !defs[i].type_list_attr.empty();
    for (int slot = 0; slot < ranges[i].second - ranges[i].first; ++slot) {
      names.push_back(absl::StrCat(defs[i].name, suffix));
      if (list) absl::StrAppend(&names.back(), "_", slot);
    }
  }
  return names;
}

}  // namespace

absl::StatusOr<Draft> draft_function(const Graph& graph, const FunctionInstance& instance, Plan* plan) {
  const FunctionRef& f = instance.function;
  Draft draft;
  draft.graph = Graph(&graph.ops());
  draft.graph.set_library(graph.library());
  draft.graph.versions() = graph.versions();
  FunctionBodies bodies(draft.graph);
  TROUPE_ASSIGN_OR_RETURN(auto body, bodies.get(f.name, f.attrs == nullptr ? AttrMap() : *f.attrs));
  const OpDef& op = *draft.graph.find_op(f.name);  // there: it has a body
  TROUPE_ASSIGN_OR_RETURN(auto arg_names, slot_names(op.inputs, body->attrs, ""));
  TROUPE_ASSIGN_OR_RETURN(auto ret_names, slot_names(op.outputs, body->attrs, "_RetVal"));
  std::vector<int> ids, args;
  for (const FunctionBody::BodyNode& n : body->nodes) {
    TROUPE_ASSIGN_OR_RETURN(Node * node, draft.graph.add_node(n.name, n.op, n.attrs));
    node->requested_device = n.device.empty() ? instance.device : n.device;
    ids.push_back(node->id);
    if (n.effect) draft.roots.push_back(node->id);
  }
  for (size_t i = 0; i < body->arg_types.size(); ++i) {
    const DataType type = base_type(body->arg_types[i]);
    const bool elsewhere = i < instance.arg_devices.size() && !instance.arg_devices[i].empty();
    TROUPE_ASSIGN_OR_RETURN(Node * arg,
                            draft.graph.add_node(draft.graph.unique_name(arg_names[i]), "_Arg",
                                                 {{"T", type}, {"index", static_cast<int64_t>(i)}}, {}, {},
                                                 elsewhere ? instance.arg_devices[i] : instance.device));
    args.push_back(arg->id);
    plan->feed_types.push_back(type);
  }
  auto map = [&](Endpoint e) {
    return FunctionBody::is_arg(e) ? Endpoint{args[FunctionBody::arg_of(e)], 0}
                                   : Endpoint{ids[e.node], e.slot};
  };
  for (size_t i = 0; i < body->nodes.size(); ++i) {
    const FunctionBody::BodyNode& n = body->nodes[i];
    for (size_t s = 0; s < n.inputs.size(); ++s) draft.graph.node(ids[i]).inputs[s] = map(n.inputs[s]);
    std::vector<int> controls;
    for (int c : n.controls) controls.push_back(c >= 0 ? ids[c] : args[-1 - c]);
    draft.graph.add_control_inputs(ids[i], controls);
  }
  for (size_t i = 0; i < body->rets.size(); ++i) {
    const DataType type = base_type(body->ret_types[i]);
    TROUPE_ASSIGN_OR_RETURN(Node * ret,
                            draft.graph.add_node(draft.graph.unique_name(ret_names[i]), "_Retval",
                                                 {{"T", type}, {"index", static_cast<int64_t>(i)}},
                                                 {map(body->rets[i])}, {}, instance.device));
    draft.roots.push_back(ret->id);
    plan->fetch_types.push_back(type);
  }
  return draft;
}

}  // namespace troupe
