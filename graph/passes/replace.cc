#include "graph/passes/replace.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troupe {

bool may_replace(const Graph& graph, const Node& node, const NodeFilter& consider) {
  if (node.removed() || !node.defect.ok() || node.op->is_stateful) return false;
  if (graph.ops().find(node.op->name) != node.op || node.attrs.find("_kernel") != nullptr) return false;
  auto reads_reference = [&](Endpoint e) { return is_ref(graph.type_of(e)); };
  return std::none_of(node.inputs.begin(), node.inputs.end(), reads_reference) &&
         (!consider || consider(node));
}

bool has_kernel(const DeviceCatalog& devices, const Node& node, const OpDef& op, const AttrMap& attrs) {
  if (node.device < 0) return false;
  auto support = devices.kernel_support(op, attrs, devices.entries()[node.device].type);
  return support.ok() && support->supported;
}

absl::Status become(Node* node, const OpDef* op, AttrMap attrs, const std::vector<Endpoint>& inputs) {
  for (const auto& [name, value] : node->attrs) {
    if (absl::StartsWith(name, "_")) attrs.set(name, value);
  }
  TROUPE_RETURN_IF_ERROR(complete_and_check_attrs(*op, &attrs));
  std::vector<DataType> input_types, output_types;
  TROUPE_RETURN_IF_ERROR(op_types(*op, attrs, &input_types, &output_types));
  if (input_types.size() != inputs.size()) {
    return absl::InvalidArgumentError(absl::StrCat(node->name, " cannot be a ", op->name, " of ",
                                                   inputs.size(), " inputs: it takes ", input_types.size()));
  }
  node->op = op;
  node->attrs = std::move(attrs);
  node->inputs.assign(inputs.begin(), inputs.end());
  node->input_types.assign(input_types.begin(), input_types.end());
  node->output_types.assign(output_types.begin(), output_types.end());
  return absl::OkStatus();
}

bool is_sum(const Node& node) { return node.is("AddV2") || node.is("Add"); }

void take_over_waits(Graph* graph, int node, std::span<const int> others) {
  for (int other : others) {
    for (int c : graph->node(other).control_inputs) graph->add_control_input(node, c);
  }
}

void absorb(Graph* graph, int node, std::span<const int> others) {
  take_over_waits(graph, node, others);
  for (int other : others) graph->remove_node(other);
}

SingleUse::SingleUse(const Draft& draft)
    : consumer_(draft.graph.num_ids(), -1), further_outputs_(draft.graph.num_ids()) {
  // -2: needed by several.
  constexpr int kSeveral = -2;
  const Graph& graph = draft.graph;
  auto note = [&](int producer, int consumer) {
    int& only = consumer_[producer];
    only = only == -1 || only == consumer ? consumer : kSeveral;
  };
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (n.removed()) continue;
    for (Endpoint e : n.inputs) {
      note(e.node, e.slot == 0 ? i : kSeveral);
      if (e.slot > 0) further_outputs_[e.node] = true;
    }
    for (int c : n.control_inputs) note(c, kSeveral);
  }
  for (int root : draft.roots) consumer_[root] = kSeveral;
  std::replace(consumer_.begin(), consumer_.end(), kSeveral, -1);
}

}  // namespace troupe
