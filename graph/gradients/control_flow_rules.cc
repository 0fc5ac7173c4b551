// Conditionals of Switch and Merge. Loops are no rules: see LoopGradient.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

/// One output is alive; the gradients of the others are dead, as they must be where no gradient arrives, too.
void switch_rule(Rule& r) {
  if (r.x(0).dtype() != DataType::kResource) return r.dx(0, r.op("Merge", {r.dys(0, r.num_outputs())}));
  // A variable's handle: gradients are those of its value.
  DataType type = DataType::kInvalid;
  for (int i = 0; i < r.num_outputs(); ++i) {
    if (r.has_dy(i)) type = r.dy(i).dtype();
  }
  std::vector<Val> sides;
  for (int i = 0; i < r.num_outputs(); ++i) {
    sides.push_back(r.has_dy(i) ? r.dy(i)
                                : binary("Fill", unary("VariableShape", r.y(i)), r.scope().scalar(type, 0)));
  }
  r.dx(0, r.op("Merge", {sides}));
}

/// The gradient goes to the input that was there.
void merge(Rule& r) {
  if (!r.has_dy(0)) return;
  for (int i = 0; i < r.num_inputs(); ++i) {
    if (!r.wants(i)) continue;
    Val chosen = binary("Equal", r.y(1), r.int_scalar(i));
    r.dx(i, r.op("Switch", {r.dy(0), chosen})[1]);
  }
}

const RuleRow kRows[] = {
    {"Switch", switch_rule}, {"RefSwitch", switch_rule}, {"_SwitchN", switch_rule},
    {"Merge", merge},        {"RefMerge", merge},        {"LoopCond", nullptr},
};

}  // namespace

std::span<const RuleRow> control_flow_rules() { return kRows; }

}  // namespace troupe
