#include "devices/common/cwise/fused_elementwise.h"

#include <string>
#include <utility>

#include "devices/common/array_values.h"
#include "graph/ops/op_registry.h"

namespace troupe {
namespace {

absl::StatusOr<FusedElementwiseStep> make_step(const KernelConstruction& c, const KernelRegistry& kernels,
                                               const std::string& op, size_t num_operands) {
  FusedElementwiseStep step;
  step.node = std::make_unique<KernelNode>();
  step.node->name = c.name();
  step.node->op = builtin_ops().find(op);
  if (step.node->op == nullptr) return invalid("_FusedElementwise: there is no op ", op);
  if (step.node->op->inputs.size() != num_operands || step.node->op->outputs.size() != 1)
    return invalid("_FusedElementwise: ", op, " does not make one result of ", num_operands, " operands");
  step.node->attrs.set("T", c.output_type(0));
  step.node->input_types.assign(num_operands, c.output_type(0));
  step.node->output_types = {c.output_type(0)};
  step.node->graph_producer_version = c.node().graph_producer_version;
  TROUPE_ASSIGN_OR_RETURN(step.kernel, kernels.create(*step.node, c.device()));
  if (step.kernel->is_async()) return invalid("_FusedElementwise: ", op, " waits for others");
  return step;
}

}  // namespace

absl::StatusOr<std::vector<FusedElementwiseStep>> read_fused_elementwise(const KernelConstruction& c,
                                                                         const KernelRegistry& kernels) {
  TROUPE_ASSIGN_OR_RETURN(const auto ops, c.attr<std::vector<std::string>>("ops"));
  TROUPE_ASSIGN_OR_RETURN(const auto operands, c.attr<std::vector<int64_t>>("operands"));
  const auto names = c.node().attrs.get_or<std::vector<std::string>>("names", {});
  if (operands.size() != 2 * ops.size())
    return invalid("_FusedElementwise has ", ops.size(), " ops and ", operands.size(), " operands");
  std::vector<FusedElementwiseStep> steps;
  for (size_t i = 0; i < ops.size(); ++i) {
    const auto known = c.num_inputs() + static_cast<int64_t>(i);
    const int64_t a = operands[2 * i], b = operands[2 * i + 1];
    if (a < 0 || a >= known || b < -1 || b >= known)
      return invalid("_FusedElementwise: step ", i, " has no operands ", a, " and ", b);
    TROUPE_ASSIGN_OR_RETURN(FusedElementwiseStep step, make_step(c, kernels, ops[i], b < 0 ? 1 : 2));
    if (i < names.size()) step.node->name = names[i];
    step.a = static_cast<int>(a);
    step.b = static_cast<int>(b);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace troupe
