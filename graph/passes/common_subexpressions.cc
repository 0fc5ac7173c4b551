#include "graph/passes/common_subexpressions.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "graph/ir/algorithm.h"
#include "graph/ir/in_place.h"

namespace troupe {
namespace {

/// Enough of an attr to tell most apart; equality decides.
size_t hash_of(const AttrValue& value) {
  if (const auto* tensor = value.get<Tensor>()) {
    size_t h = absl::HashOf(static_cast<int>(tensor->dtype()), tensor->num_elements());
    if (is_trivial(tensor->dtype())) {
      absl::string_view bytes(static_cast<const char*>(tensor->raw()), std::min<size_t>(64, tensor->bytes()));
      h = absl::HashOf(h, bytes);
    }
    return h;
  }
  if (const auto* type = value.get<DataType>()) return absl::HashOf(static_cast<int>(*type));
  if (const auto* text = value.get<std::string>()) return absl::HashOf(*text);
  if (const auto* i = value.get<int64_t>()) return absl::HashOf(*i);
  if (const auto* list = value.get<std::vector<int64_t>>()) return absl::HashOf(*list);
  return value.variant().index();
}

using Inputs = absl::InlinedVector<Endpoint, 2>;

/// In an order that does not tell a + b from b + a.
Inputs sorted_inputs(const Node& n) {
  Inputs inputs(n.inputs.begin(), n.inputs.end());
  std::sort(inputs.begin(), inputs.end(),
            [](Endpoint a, Endpoint b) { return std::pair(a.node, a.slot) < std::pair(b.node, b.slot); });
  return inputs;
}

size_t hash_of(const Inputs& inputs) {
  size_t h = inputs.size();
  for (Endpoint e : inputs) h = absl::HashOf(h, e);
  return h;
}

size_t hash_of(const Node& n) {
  const size_t inputs = n.op->is_commutative ? hash_of(sorted_inputs(n)) : hash_of(n.inputs);
  size_t h = absl::HashOf(n.op, n.device, n.requested_device, inputs, n.control_inputs.size());
  for (const auto& [name, value] : n.attrs) h = absl::HashOf(h, hash_of(value));
  return h;
}

bool same_inputs(const Node& a, const Node& b) {
  return a.inputs == b.inputs || (a.op->is_commutative && sorted_inputs(a) == sorted_inputs(b));
}

/// Control inputs have no order; CSE sorts them first.
bool same(const Node& a, const Node& b) {
  return a.op == b.op && a.device == b.device && a.requested_device == b.requested_device &&
         same_inputs(a, b) && a.control_inputs == b.control_inputs && a.attrs == b.attrs;
}

bool may_merge(const Node& n) {
  if (n.op->is_stateful || is_control_flow(*n.op) || !n.defect.ok() || n.output_types.empty()) return false;
  if (writes_to_input(n)) return false;
  if (n.is("_Arg") || n.is("_Retval") || n.is("Placeholder") || n.is("PlaceholderV2") ||
      n.is("PlaceholderWithDefault"))
    return false;
  auto is_reference = [](DataType t) { return is_ref(t); };
  return std::none_of(n.input_types.begin(), n.input_types.end(), is_reference) &&
         std::none_of(n.output_types.begin(), n.output_types.end(), is_reference);
}

}  // namespace

absl::StatusOr<PassStats> merge_common_subexpressions(Draft* draft, const NodeFilter& consider) {
  Graph& graph = draft->graph;
  PassStats stats("common_subexpressions", graph);
  TROUPE_ASSIGN_OR_RETURN(std::vector<int> order, topological_order(graph));
  std::vector<bool> keep(graph.num_ids());
  for (int root : draft->roots) keep[root] = true;
  EndpointMap outputs;
  absl::flat_hash_map<int, int> controls;
  absl::flat_hash_map<size_t, std::vector<int>> seen;
  int64_t merged = 0;
  auto canonical = [&](Node& n) {
    for (Endpoint& e : n.inputs) e = outputs.resolve(e);
    if (n.control_inputs.empty()) return;
    for (int& c : n.control_inputs) {
      if (auto it = controls.find(c); it != controls.end()) c = it->second;
    }
    std::sort(n.control_inputs.begin(), n.control_inputs.end());
    n.control_inputs.erase(std::unique(n.control_inputs.begin(), n.control_inputs.end()),
                           n.control_inputs.end());
  };
  for (int id : order) {
    Node& n = graph.node(id);
    canonical(n);
    if (!may_merge(n) || (consider && !consider(n))) continue;
    std::vector<int>& alike = seen[hash_of(n)];
    auto twin =
        std::find_if(alike.begin(), alike.end(), [&](int other) { return same(graph.node(other), n); });
    if (twin == alike.end()) {
      alike.push_back(id);
      continue;
    }
    if (keep[id]) continue;
    for (int slot = 0; slot < n.num_outputs(); ++slot) outputs.set({id, slot}, {*twin, slot});
    controls[id] = *twin;
    graph.remove_node(id);
    ++merged;
  }
  // Back edges.
  for (int i = 0; i < graph.num_ids(); ++i) {
    if (!graph.node(i).removed()) canonical(graph.node(i));
  }
  return stats.count("merged", merged).done(graph);
}

}  // namespace troupe
