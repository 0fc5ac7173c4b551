#include "actors/executor_type.h"

#include "absl/strings/str_cat.h"
#include "graph/passes/pass.h"

namespace troupe {
namespace {

constexpr char kHint[] =
    ". Perhaps your graph contains old-style control flow primitives? Try using "
    "tf.compat.v1.enable_control_flow_v2().";

absl::Status check_node(const Graph& graph, const Node& n) {
  for (DataType t : n.output_types) {
    if (!is_ref(t)) continue;
    return absl::UnimplementedError(
        absl::StrCat("Single-threaded executor does not support reference-typed edges.  But saw type ",
                     dtype_name(t), " in outputs of node ", n.name));
  }
  if (!is_control_flow(*n.op)) return absl::OkStatus();
  const Node* written = graph.find(n.name);
  if (written == nullptr || written->op != n.op) return absl::OkStatus();
  return absl::FailedPreconditionError(
      is_switch(*n.op)
          ? absl::StrCat("Single-threaded executor does not support switch op, but saw node ", n.name, kHint)
          : absl::StrCat("Single-threaded executor does not support low level control flow, but saw control "
                         "flow node ",
                         n.name, kHint));
}

}  // namespace

absl::Status check_executor_type(const SessionOptions& options, const Graph& graph, const Plan& plan) {
  const std::string& type = options.executor_type;
  if (type.empty() || type == "DEFAULT") return absl::OkStatus();
  if (type != kSingleThreadedExecutor) {
    return absl::NotFoundError(
        absl::StrCat("No executor factory registered for the given executor type: ", type,
                     " Registered factories are {DEFAULT, ", kSingleThreadedExecutor, "}."));
  }
  for (const PlanPartition& p : plan.partitions) {
    for (int i = 0; i < p.graph.num_ids(); ++i) {
      if (!p.graph.node(i).removed()) TROUPE_RETURN_IF_ERROR(check_node(graph, p.graph.node(i)));
    }
  }
  if (plan.partitions.size() > 1) {
    return absl::UnimplementedError(
        "Single-threaded executor does not support partitioned graphs, but this one has nodes on several "
        "devices.");
  }
  return absl::OkStatus();
}

}  // namespace troupe
