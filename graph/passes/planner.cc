#include "graph/passes/planner.h"

#include "graph/ir/control_flow.h"
#include "graph/ir/device_name.h"
#include "graph/passes/draft_function.h"
#include "graph/passes/partition.h"
#include "graph/passes/partition_by_task.h"
#include "graph/passes/pass_list.h"
#include "graph/passes/rendezvous_key.h"
#include "graph/passes/rewrite_signature.h"

namespace troupe {

std::string partial_run_key(const DeviceCatalog& devices, const std::string& tensor) {
  const DeviceCatalog::Entry& client = devices.entries()[devices.client_device()];
  return RendezvousKey{client.name, client.incarnation, client.name, tensor, 0, 0}.to_string();
}

namespace {

/// Loops are checked as the client wrote them: values of different frames may not meet.
absl::Status check_frames(const Graph& graph) {
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (!n.removed() && (n.is("Enter") || n.is("RefEnter") || n.is("Exit") || n.is("RefExit"))) {
      return static_frames(graph).status();
    }
  }
  return absl::OkStatus();
}

/// The nodes of a function that ask for no device are with its caller; but for those without a kernel there, which are anywhere in its task.
absl::Status let_go_what_cannot_be_there(const DeviceCatalog& devices, const std::string& device,
                                         Graph* graph) {
  const std::optional<DeviceName> there = DeviceName::parse(device);
  if (!there || there->type.value_or("CPU") == "CPU") return absl::OkStatus();
  for (int i = 0; i < graph->num_ids(); ++i) {
    Node& n = graph->node(i);
    if (n.removed() || n.requested_device != device) continue;
    TROUPE_ASSIGN_OR_RETURN(const DeviceCatalog::Support support,
                            devices.kernel_support(*n.op, n.attrs, *there->type));
    if (!support.supported) n.requested_device = there->task_string();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Plan> make_plan(const Graph& graph, const PlanSignature& signature,
                               const DeviceCatalog& devices, const Evaluator* evaluator,
                               const PlanOptions& options) {
  Plan plan;
  TROUPE_ASSIGN_OR_RETURN(Draft draft, rewrite_signature(graph, signature, options.placement, &plan));
  TROUPE_RETURN_IF_ERROR(check_wanted(options));
  TROUPE_RETURN_IF_ERROR(check_frames(draft.graph));
  if (options.observer)
    options.observer(PassStats("rewrite_signature", graph).done(draft.graph), draft.graph);
  PassContext context{&draft, &devices, evaluator, &options};
  TROUPE_RETURN_IF_ERROR(run_passes(context));
  TROUPE_ASSIGN_OR_RETURN(plan.partitions,
                          options.by_task ? partition_by_task(devices, std::move(draft))
                                          : partition(devices, cut_by_device(devices), std::move(draft)));
  return plan;
}

absl::StatusOr<Plan> plan_function(const Graph& graph, const FunctionInstance& instance,
                                   const DeviceCatalog& devices, const Evaluator* evaluator,
                                   const PlanOptions& options) {
  Plan plan;
  TROUPE_ASSIGN_OR_RETURN(Draft draft, draft_function(graph, instance, &plan));
  TROUPE_RETURN_IF_ERROR(let_go_what_cannot_be_there(devices, instance.device, &draft.graph));
  PassContext context{&draft, &devices, evaluator, &options, instance.function.name, true};
  TROUPE_RETURN_IF_ERROR(run_passes(context));
  TROUPE_ASSIGN_OR_RETURN(plan.partitions, partition(devices, cut_by_device(devices), std::move(draft)));
  return plan;
}

}  // namespace troupe
