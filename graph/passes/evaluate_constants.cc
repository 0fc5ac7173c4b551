// The part of shape inference that runs nodes of constants, where a shape function asks for a value.

#include <algorithm>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/passes/infer_shapes.h"

namespace troupe {
namespace {

template <class T>
Tensor tensor_of(const KnownInts& ints) {
  Tensor t(dtype_of<T>(), ints.shape);
  std::transform(ints.values.begin(), ints.values.end(), t.flat<T>().begin(),
                 [](int64_t v) { return static_cast<T>(v); });
  return t;
}

/// The whole value of an input when it is known, else an uninitialised tensor.
Tensor value_of(const Known& known, DataType dtype) {
  if (known.constant.initialized() || known.ints == nullptr || !known.ints->all_known())
    return known.constant;
  if (base_type(dtype) == DataType::kInt32) return tensor_of<int32_t>(*known.ints);
  if (base_type(dtype) == DataType::kInt64) return tensor_of<int64_t>(*known.ints);
  return Tensor();
}

/// Whether among the nearest nodes behind `wanted` is a shape that inference did not find, or a value from outside. Then it
/// is in vain, nearly always, to go all the way up: gradients ask for such shapes at every node.
bool needs_unknown_shape(const Graph& graph, Endpoint wanted, const std::function<bool(Endpoint)>& known) {
  constexpr size_t kNearest = 16;
  std::vector<int> near{wanted.node};
  for (size_t i = 0; i < near.size() && i < kNearest; ++i) {
    const Node& node = graph.node(near[i]);
    if (node.removed()) return true;
    if (node.inputs.empty() || node.is("Shape") || node.is("ShapeN")) return true;
    for (Endpoint e : node.inputs) {
      if (!known(e) && std::find(near.begin(), near.end(), e.node) == near.end()) near.push_back(e.node);
    }
  }
  return false;
}

/// The cheap half of the question whether a node can be evaluated, asked of each node on the way up.
bool may_be_constant(const Node& node) {
  // Nodes without inputs hold constants, which are known, or come from outside.
  if (node.removed() || !node.defect.ok() || node.inputs.empty() || node.op->is_stateful) return false;
  for (const char* op :
       {"Merge", "RefMerge", "Switch", "RefSwitch", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration",
        "RefNextIteration", "LoopCond", "PlaceholderWithDefault", "_Arg", "_Retval"}) {
    if (node.op->name == op) return false;
  }
  return true;
}

}  // namespace

/// Evaluates the inputs whose values a shape function asked for in vain; true when one is known now.
bool ShapeInference::evaluate_asked(const Node& node, ShapeContext::Values asked) {
  if (evaluator_ == nullptr || (asked.elements | asked.shapes) == 0) return false;
  bool found = false;
  for (int i = 0; i < std::min(node.num_inputs(), 64); ++i) {
    const Endpoint e = node.inputs[i];
    if (((asked.elements | asked.shapes) & (uint64_t{1} << i)) == 0 || !added(e.node)) continue;
    auto& outputs = outputs_[e.node].known;
    if (e.slot >= static_cast<int>(outputs.size()) || value_at(e).initialized()) continue;
    if (needs_unknown_shape(*graph_, e, [&](Endpoint at) { return value_at(at).initialized(); })) continue;
    Tensor value = constant_value(e, kMaxEvaluatedNodes, KnownInts::kMaxElements);
    if (!value.initialized()) continue;
    outputs[e.slot].ints = known_ints(value);
    outputs[e.slot].constant = std::move(value);
    found = true;
  }
  return found;
}

Tensor ShapeInference::value_at(Endpoint e) const {
  if (e.node < 0 || e.node >= graph_->num_ids()) return Tensor();
  const Node& node = graph_->node(e.node);
  return e.slot < 0 || e.slot >= node.num_outputs() ? Tensor()
                                                    : value_of(known(e), node.output_types[e.slot]);
}

bool ShapeInference::may_evaluate(const Node& node, int64_t max_elements) const {
  if (!may_be_constant(node)) return false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const auto shape = this->shape({node.id, i}).to_shape();
    if (shape && shape->num_elements() > max_elements) return false;
  }
  return evaluator_->can_evaluate(node);
}

Tensor ShapeInference::constant_value(Endpoint wanted, int max_nodes, int64_t max_elements) const {
  if (Tensor t = value_at(wanted);
      t.initialized() || evaluator_ == nullptr || wanted.node < 0 || wanted.node >= graph_->num_ids()) {
    return t;
  }
  absl::flat_hash_map<int, std::vector<Tensor>> done;
  auto value = [&](Endpoint e) {
    if (auto it = done.find(e.node); it != done.end()) {
      return e.slot >= 0 && e.slot < static_cast<int>(it->second.size()) ? it->second[e.slot] : Tensor();
    }
    return value_at(e);
  };
  // Producers first; a node that is met open again is part of a cycle, or its input has no value.
  absl::flat_hash_set<int> open;
  std::vector<int> stack{wanted.node};
  while (!stack.empty()) {
    const Node& node = graph_->node(stack.back());
    if (done.contains(node.id)) {
      stack.pop_back();
      continue;
    }
    const size_t before = stack.size();
    std::vector<Tensor> inputs;
    for (Endpoint e : node.inputs) {
      inputs.push_back(value(e));
      if (!inputs.back().initialized()) stack.push_back(e.node);
    }
    if (stack.size() > before) {
      const bool again = !open.insert(node.id).second;
      if (again || static_cast<int>(open.size() + done.size()) >= max_nodes) return Tensor();
      if (!may_be_constant(node)) return Tensor();
      continue;
    }
    if (!may_evaluate(node, max_elements)) return Tensor();
    auto results = evaluator_->evaluate(node, inputs, graph_->versions().producer);
    if (!results.ok()) return Tensor();
    done[node.id] = *std::move(results);
    stack.pop_back();
  }
  return value(wanted);
}

}  // namespace troupe
