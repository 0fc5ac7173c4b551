#include "graph/passes/infer_shapes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/algorithm.h"
#include "graph/ir/function_library.h"
#include "graph/ops/shapes/common_shapes.h"

namespace troupe {
namespace {

const Known& nothing() {
  static const Known* const kNothing = new Known;
  return *kNothing;
}

std::string shape_text(const PartialShape& shape) { return shape.known_rank() ? shape.to_string() : "?"; }

/// "1 2", "[1 2][3 4]": row-major values, brackets around all but the outermost dimension.
std::string values_text(const KnownInts& ints, size_t* next, int dim) {
  constexpr size_t kMaxValues = 256;
  if (dim >= ints.shape.rank()) {
    if (*next >= ints.values.size()) return "";
    const int64_t v = ints.values[(*next)++];
    return *next > kMaxValues ? std::string() : absl::StrCat(v);
  }
  std::string out;
  for (int64_t i = 0; i < ints.shape.dim(dim) && *next < kMaxValues; ++i) {
    const bool last = dim + 1 == ints.shape.rank();
    if (last && i > 0) out += ' ';
    if (!last) out += '[';
    out += values_text(ints, next, dim + 1);
    if (!last) out += ']';
  }
  if (dim == 0 && *next < ints.values.size()) out += "...";
  return out;
}

std::string attrs_text(const AttrMap& attrs) {
  return absl::StrJoin(attrs, ", ", [](std::string* o, const AttrMap::Entry& a) {
    absl::StrAppend(o, a.first, "=", a.second.to_string());
  });
}

/// What TensorFlow adds to the error of a shape function.
absl::Status with_context(const absl::Status& error, const Graph& graph, const Node& node,
                          const ShapeContext& c, ShapeContext::Values shown) {
  std::vector<std::string> shapes, values, partial;
  for (int i = 0; i < c.num_inputs(); ++i) {
    shapes.push_back(shape_text(c.input(i)));
    const KnownInts* ints = c.known(i).ints.get();
    const uint64_t bit = i < 64 ? uint64_t{1} << i : 0;
    if ((shown.shapes & bit) != 0) {
      auto shape = c.input_as_shape(i);
      if (shape.ok() && shape->known_rank()) {
        partial.push_back(absl::StrCat("input[", i, "] = ", shape->to_string()));
        continue;
      }
    }
    if ((shown.elements & bit) != 0 && ints != nullptr && ints->all_known()) {
      size_t next = 0;
      values.push_back(absl::StrCat("input[", i, "] = <", values_text(*ints, &next, 0), ">"));
    }
  }
  std::string context = absl::StrCat(" for '", summarize_node(graph, node),
                                     "' with input shapes: ", absl::StrJoin(shapes, ", "));
  if (!values.empty())
    absl::StrAppend(&context, " and with computed input tensors: ", absl::StrJoin(values, ", "));
  if (!partial.empty()) {
    absl::StrAppend(&context,
                    " and with input tensors computed as partial shapes: ", absl::StrJoin(partial, ","));
  }
  return annotate(error, "", context + ".");
}

/// The error of a node whose shape function fails, as TensorFlow finds it.
absl::Status worded_error(const Graph& graph, const Node& node, std::span<const Known* const> inputs) {
  std::vector<Known> outputs(node.num_outputs());
  ShapeContext::Values shown;
  while (true) {
    ShapeContext c(node.op, &node.attrs, inputs, outputs);
    c.set_producer(graph.versions().producer);
    c.show_only(shown);
    absl::Status s = node.op->shape_fn(c);
    if (!s.ok()) return with_context(s, graph, node, c, shown);
    const ShapeContext::Values next{shown.elements | c.asked().elements, shown.shapes | c.asked().shapes};
    if (next == shown) break;
    shown = next;
  }
  ShapeContext c(node.op, &node.attrs, inputs, outputs);
  c.set_producer(graph.versions().producer);
  return with_context(node.op->shape_fn(c), graph, node, c, c.asked());
}

bool knows_more(const Known& now, const Known& before) {
  return !(now.shape == before.shape) || (now.handle != nullptr && before.handle == nullptr) ||
         (now.ints != nullptr && before.ints == nullptr) ||
         (now.handle != nullptr && before.handle != nullptr && *now.handle != *before.handle);
}

}  // namespace

std::string summarize_node(const Graph& graph, const Node& node) {
  std::string out = absl::StrCat("{{node ", node.name, "}} = ", node.op == nullptr ? "" : node.op->name, "[");
  out += attrs_text(node.attrs);
  if (!node.requested_device.empty()) {
    absl::StrAppend(&out, node.attrs.size() > 0 ? ", " : "", "_device=\"", node.requested_device, "\"");
  }
  out += "](";
  const char* separator = "";
  for (Endpoint e : node.inputs) {
    const bool exists = e.node >= 0 && e.node < graph.num_ids();
    absl::StrAppend(&out, separator, exists ? graph.node(e.node).name : "");
    if (e.slot > 0) absl::StrAppend(&out, ":", e.slot);
    separator = ", ";
  }
  for (int id : node.control_inputs) {
    absl::StrAppend(&out, separator, "^", graph.node(id).name);
    separator = ", ";
  }
  return out + ")";
}

ShapeInference::NodeOutputs& ShapeInference::outputs_of(int node) {
  if (node >= static_cast<int>(outputs_.size())) outputs_.resize(std::max(node + 1, graph_->num_ids()));
  return outputs_[node];
}

const Known& ShapeInference::known(Endpoint e) const {
  if (e.node < 0 || e.node >= static_cast<int>(outputs_.size())) return nothing();
  const auto& known = outputs_[e.node].known;
  return e.slot >= 0 && e.slot < static_cast<int>(known.size()) ? known[e.slot] : nothing();
}

absl::Status ShapeInference::infer(const Node& node, std::vector<Known>* outputs) {
  outputs->assign(node.num_outputs(), Known());
  // What is wrong with the node is reported where it is needed.
  if (node.removed() || !node.defect.ok()) return absl::OkStatus();
  absl::InlinedVector<const Known*, 8> inputs;
  for (Endpoint e : node.inputs) inputs.push_back(&known(e));
  if (auto body = called_body(node.op->name, static_cast<bool>(node.op->shape_fn), node.attrs)) {
    const absl::Status s = infer_call(*body, inputs, 0, outputs);
    if (!s.ok()) outputs->assign(node.num_outputs(), Known());
    return s;
  }
  if (!node.op->shape_fn) return absl::OkStatus();
  // Values that the function asks for are made, if they can be, and it is asked again: it may want more then.
  for (int round = 0; round <= node.num_inputs(); ++round) {
    ShapeContext context(node.op, &node.attrs, inputs, *outputs);
    context.set_producer(graph_->versions().producer);
    const absl::Status s = node.op->shape_fn(context);
    if (s.ok() && evaluate_asked(node, context.asked())) {
      outputs->assign(node.num_outputs(), Known());
      continue;
    }
    if (s.ok()) break;
    outputs->assign(node.num_outputs(), Known());
    return worded_error(*graph_, node, inputs);
  }
  return absl::OkStatus();
}

std::shared_ptr<const FunctionBody> ShapeInference::called_body(absl::string_view op, bool has_shape_fn,
                                                                const AttrMap& attrs) {
  const auto& library = graph_->library();
  if (library == nullptr || library->empty()) return nullptr;
  std::string name(op);
  const AttrMap* bound = &attrs;
  static const auto& kNoAttrs = *new AttrMap;
  if (op == "PartitionedCall" || op == "StatefulPartitionedCall") {
    const AttrValue* f = attrs.find("f");
    const FunctionRef* ref = f == nullptr ? nullptr : f->get<FunctionRef>();
    if (ref == nullptr) return nullptr;
    name = ref->name;
    bound = ref->attrs == nullptr ? &kNoAttrs : ref->attrs.get();
  } else if (has_shape_fn) {
    return nullptr;
  }
  if (library->find(name) == nullptr) return nullptr;
  if (bodies_ == nullptr || library_ != library) {
    bodies_ = std::make_unique<FunctionBodies>(*graph_);
    library_ = library;
  }
  auto body = bodies_->get(name, *bound);
  return body.ok() ? *body : nullptr;
}

/// "{{node y}} = MatMul[...](x, w)", of a node of a function's body.
static std::string summarize_body_node(const FunctionBody& body, const FunctionBody::BodyNode& node) {
  std::vector<std::string> inputs;
  for (Endpoint e : node.inputs) {
    const bool is_arg = FunctionBody::is_arg(e);
    const std::string name = is_arg ? absl::StrCat("arg", FunctionBody::arg_of(e)) : body.nodes[e.node].name;
    inputs.push_back(is_arg || e.slot == 0 ? name : absl::StrCat(name, ":", e.slot));
  }
  return absl::StrCat("{{node ", node.name, "}} = ", node.op->name, "[", attrs_text(node.attrs), "](",
                      absl::StrJoin(inputs, ", "), ")");
}

absl::Status ShapeInference::infer_call(const FunctionBody& body, std::span<const Known* const> args,
                                        int depth, std::vector<Known>* outputs) {
  const int n = static_cast<int>(body.nodes.size());
  if (depth >= kMaxCallDepth || body_nodes_left_ < n || args.size() != body.arg_types.size())
    return absl::OkStatus();
  body_nodes_left_ -= n;
  std::vector<std::vector<Known>> values(n);
  auto known_in = [&](Endpoint e) -> const Known* {
    if (FunctionBody::is_arg(e)) return args[FunctionBody::arg_of(e)];
    const auto& known = values[e.node];
    return e.slot < static_cast<int>(known.size()) ? &known[e.slot] : &nothing();
  };
  auto infer_node = [&](const FunctionBody::BodyNode& node, std::vector<Known>* out) -> absl::Status {
    out->assign(node.output_types.size(), Known());
    absl::InlinedVector<const Known*, 8> inputs;
    for (Endpoint e : node.inputs) inputs.push_back(known_in(e));
    if (auto inner = called_body(node.op->name, static_cast<bool>(node.op->shape_fn), node.attrs)) {
      return infer_call(*inner, inputs, depth + 1, out);
    }
    if (!node.op->shape_fn) return absl::OkStatus();
    ShapeContext context(node.op, &node.attrs, inputs, *out);
    context.set_producer(graph_->versions().producer);
    const absl::Status s = node.op->shape_fn(context);
    if (s.ok()) return s;
    std::vector<std::string> shapes;
    for (int i = 0; i < context.num_inputs(); ++i) shapes.push_back(shape_text(context.input(i)));
    return annotate(s, "",
                    absl::StrCat(" for '", summarize_body_node(body, node),
                                 "' with input shapes: ", absl::StrJoin(shapes, ", "), "."));
  };

  // Producers first; nodes of a cycle are never ready and stay unknown.
  std::vector<int> missing(n, 0), ready;
  std::vector<std::vector<int>> users(n);
  for (int i = 0; i < n; ++i) {
    for (Endpoint e : body.nodes[i].inputs) {
      if (FunctionBody::is_arg(e)) continue;
      ++missing[i];
      users[e.node].push_back(i);
    }
    if (missing[i] == 0) ready.push_back(i);
  }
  for (size_t next = 0; next < ready.size(); ++next) {
    const int id = ready[next];
    TROUPE_RETURN_IF_ERROR(infer_node(body.nodes[id], &values[id]));
    for (int user : users[id]) {
      if (--missing[user] == 0) ready.push_back(user);
    }
  }
  for (size_t i = 0; i < outputs->size() && i < body.rets.size(); ++i)
    (*outputs)[i] = *known_in(body.rets[i]);
  return absl::OkStatus();
}

void ShapeInference::truncate(int num_ids) {
  if (num_ids < static_cast<int>(outputs_.size())) outputs_.resize(num_ids);
}

absl::Status ShapeInference::add(const Node& node, bool* refined) {
  std::vector<Known> outputs;
  const absl::Status status = infer(node, &outputs);
  NodeOutputs& entry = outputs_of(node.id);
  for (const auto& [slot, shape] : entry.pinned) {
    auto merged = shapes::merge(outputs[slot].shape, shape);
    outputs[slot].shape = merged.ok() ? *std::move(merged) : shape;
  }
  if (refined != nullptr) {
    *refined = !entry.added;
    for (size_t i = 0; entry.added && i < outputs.size(); ++i)
      *refined |= knows_more(outputs[i], entry.known[i]);
  }
  entry.added = true;
  entry.known = std::move(outputs);
  return status;
}

absl::StatusOr<std::vector<int>> ShapeInference::order(int first_id) const {
  // Most graphs are in order; then nodes that were there before need not be looked at, however many they are.
  std::vector<int> ids;
  bool in_order = true;
  for (int id = first_id; in_order && id < graph_->num_ids(); ++id) {
    const Node& n = graph_->node(id);
    if (!n.removed()) ids.push_back(id);
    for (Endpoint e : n.inputs) in_order &= e.node < id || is_back_edge(graph_->node(e.node), n);
    for (int c : n.control_inputs) in_order &= c < id;
  }
  if (in_order) return ids;
  TROUPE_ASSIGN_OR_RETURN(ids, topological_order(*graph_));
  std::erase_if(ids, [first_id](int id) { return id < first_id; });
  return ids;
}

void ShapeInference::add_all(int first_id) {
  auto ids = order(first_id);
  if (!ids.ok()) return;
  outputs_.resize(graph_->num_ids());
  for (int id : *ids) add(graph_->node(id)).IgnoreError();
}

absl::Status ShapeInference::add_imported(int first_id) {
  TROUPE_ASSIGN_OR_RETURN(std::vector<int> ids, order(first_id));
  outputs_.resize(graph_->num_ids());
  for (int id : ids) {
    TROUPE_RETURN_IF_ERROR(add(graph_->node(id)));
    TROUPE_RETURN_IF_ERROR(check_output_shapes(graph_->node(id)));
  }
  return absl::OkStatus();
}

absl::Status ShapeInference::check_output_shapes(const Node& node) {
  const AttrValue* attr = node.attrs.find("_output_shapes");
  if (attr == nullptr) return absl::OkStatus();
  const auto declared = attr->get_list<std::vector<PartialShape>>();
  if (!declared) return absl::OkStatus();
  if (static_cast<int>(declared->size()) < node.num_outputs()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Node '", node.name, "' has ", node.num_outputs(),
        " outputs but the _output_shapes attribute specifies shapes for ", declared->size(), " outputs"));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (absl::Status s = set_shape({node.id, i}, (*declared)[i]); !s.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Node '", node.name,
                       "' has an _output_shapes attribute inconsistent with the GraphDef for output #", i,
                       ": ", s.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status ShapeInference::set_shape(Endpoint e, const PartialShape& shape) {
  if (e.node < 0 || e.node >= graph_->num_ids() || !added(e.node)) {
    return absl::InvalidArgumentError("The shape of a node that is not in the graph cannot be set");
  }
  NodeOutputs& entry = outputs_[e.node];
  if (e.slot < 0 || e.slot >= static_cast<int>(entry.known.size())) {
    return absl::InvalidArgumentError(absl::StrCat("output_port '", e.slot, "' is out of range, node '",
                                                   graph_->node(e.node).name, "' has ", entry.known.size(),
                                                   " outputs"));
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape merged, shapes::merge(entry.known[e.slot].shape, shape));
  entry.known[e.slot].shape = merged;
  auto it = std::find_if(entry.pinned.begin(), entry.pinned.end(),
                         [&](const auto& p) { return p.first == e.slot; });
  if (it == entry.pinned.end()) {
    entry.pinned.emplace_back(e.slot, std::move(merged));
  } else {
    it->second = std::move(merged);
  }
  return absl::OkStatus();
}

absl::Status ShapeInference::set_handle(Endpoint e, HandleShapes shapes) {
  if (!added(e.node) || e.slot < 0 || e.slot >= static_cast<int>(outputs_[e.node].known.size())) {
    return absl::InvalidArgumentError("The handle data of an output that does not exist cannot be set");
  }
  outputs_[e.node].known[e.slot].handle = std::make_shared<const HandleShapes>(std::move(shapes));
  return absl::OkStatus();
}

}  // namespace troupe
