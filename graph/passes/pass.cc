#include "graph/passes/pass.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace troupe {

int64_t PassStats::operator[](absl::string_view what) const {
  for (const auto& [name, n] : counts) {
    if (name == what) return n;
  }
  return 0;
}

std::string PassStats::to_string() const {
  std::string text = absl::StrCat(pass, ": ", nodes_before, " -> ", nodes_after, " nodes");
  const char* separator = "; ";
  for (const auto& [name, n] : counts) {
    absl::StrAppend(&text, separator, name, " ", n);
    separator = ", ";
  }
  return text;
}

Endpoint EndpointMap::resolve(Endpoint e) {
  auto it = map_.find(e);
  if (it == map_.end()) return e;
  // Chains cannot close: the target of a replacement was resolved, or made later, when it was entered.
  Endpoint last = it->second;
  size_t steps = 0;
  for (auto next = map_.find(last); next != map_.end() && steps <= map_.size();
       next = map_.find(last), ++steps) {
    last = next->second;
  }
  if (steps > 0) it->second = last;
  return last;
}

int EndpointMap::apply(Graph* graph) {
  int changed = 0;
  if (map_.empty()) return 0;
  for (int i = 0; i < graph->num_ids(); ++i) {
    for (Endpoint& e : graph->node(i).inputs) {
      const Endpoint to = resolve(e);
      if (to == e) continue;
      e = to;
      ++changed;
    }
  }
  return changed;
}

bool is_control_flow(const OpDef& op) {
  static const auto* kOps = new absl::flat_hash_set<absl::string_view>{
      "Switch",        "RefSwitch", "_SwitchN", "Merge",         "RefMerge",         "Enter",
      "RefEnter",      "Exit",      "RefExit",  "NextIteration", "RefNextIteration", "LoopCond",
      "ControlTrigger"};
  return kOps->contains(op.name);
}

bool is_switch(const OpDef& op) {
  return op.name == "Switch" || op.name == "RefSwitch" || op.name == "_SwitchN";
}

bool takes_functions(const OpDef& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(),
                     [](const AttrDef& a) { return a.kind == "func" || a.kind == "list(func)"; });
}

void make_const(Node* node, const OpDef* const_op, Tensor value) {
  const DataType dtype = value.dtype();
  AttrMap attrs;
  attrs.set("dtype", dtype);
  attrs.set("value", std::move(value));
  if (const AttrValue* colocated = node->attrs.find("_class")) attrs.set("_class", *colocated);
  node->op = const_op;
  node->attrs = std::move(attrs);
  node->inputs.clear();
  node->input_types.clear();
  node->output_types.assign(1, dtype);
}

const Tensor* const_value(const Node& node) {
  if (!node.is("Const") || !node.defect.ok()) return nullptr;
  const AttrValue* value = node.attrs.find("value");
  const Tensor* tensor = value == nullptr ? nullptr : value->get<Tensor>();
  // A node whose value is of another type than it says is refused when it is compiled; no pass may trust it.
  return tensor == nullptr || tensor->dtype() != node.output_types[0] ? nullptr : tensor;
}

}  // namespace troupe
