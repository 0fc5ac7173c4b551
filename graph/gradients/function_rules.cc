// Calls of functions, conditionals and loops of functions: their gradients are SymbolicGradient nodes, which become bodies
// when a plan is made.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

/// What a call calls: the function that it names, its op when that is a function, or the op itself with its attrs.
FunctionRef callee(const Rule& r) {
  const Node& node = r.node();
  if (node.is("PartitionedCall") || node.is("StatefulPartitionedCall")) return r.attr<FunctionRef>("f");
  return {node.op->name, std::make_shared<AttrMap>(node.attrs)};
}

bool has_zeros(DataType t) { return t != DataType::kResource && t != DataType::kString; }

void call(Rule& r) {
  std::vector<Val> inputs = r.xs(0, r.num_inputs());
  std::vector<DataType> results;
  for (int i = 0; i < r.num_inputs(); ++i) {
    DataType type = inputs[i].dtype();
    if (type == DataType::kResource && r.wants(i)) {
      // The gradient of a variable's handle is that of its value.
      type = r.scope().handle_type(inputs[i]);
      if (type == DataType::kInvalid) return r.refuse("what is behind a resource is not known");
    }
    results.push_back(type);
  }
  // Results that have no gradient stand for theirs: nobody looks at it.
  for (int i = 0; i < r.num_outputs(); ++i) inputs.push_back(has_zeros(r.y(i).dtype()) ? r.dy(i) : r.y(i));
  const std::vector<Val> gradients =
      r.scope().op_outputs("SymbolicGradient", {inputs}, {{"f", callee(r)}, {"Tout", results}});
  if (gradients.empty()) return;
  for (int i = 0; i < r.num_inputs(); ++i) {
    const DataType t = results[i];
    if (is_floating(t) || is_complex(t) || t == DataType::kVariant) r.dx(i, gradients[i]);
  }
}

const RuleRow kRows[] = {
    {"PartitionedCall", call},
    {"StatefulPartitionedCall", call},
    {"If", call},
    {"StatelessIf", call},
    {"Case", call},
    {"StatelessCase", call},
    {"While", call},
    {"StatelessWhile", call},
    {"For", call},
    {"SymbolicGradient", call},
};

}  // namespace

std::span<const RuleRow> function_rules() { return kRows; }

}  // namespace troupe
