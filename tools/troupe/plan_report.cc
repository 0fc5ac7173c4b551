#include "tools/troupe/plan_report.h"

#include "devices/cpu/cpu_device.h"
#include "devices/cpu/folding_evaluator.h"
#include "devices/cpu/kernels/register_kernels.h"
#include "devices/device_set.h"
#include "graph/ir/graph.h"
#include "graph/ir/graph_def.h"
#include "graph/status.h"

namespace troupe {
namespace {

constexpr char kTask[] = "/job:localhost/replica:0/task:0";

}  // namespace

absl::StatusOr<PlanReport> plan_report(const pb::GraphDef& def, const PlanSignature& signature, int cpus,
                                       const PlanOptions& options) {
  Graph graph;
  TROUPE_RETURN_IF_ERROR(import_graph_def(def, ImportOptions(), &graph));
  DeviceSet devices(&builtin_kernels());
  for (int i = 0; i < cpus; ++i) {
    devices.add(make_cpu_device(kTask, i, plain_allocator(), serial_runner()), kCpuPriority);
  }
  const FoldingEvaluator evaluator(&builtin_kernels());

  PlanReport report;
  PlanOptions logged = options;
  logged.log = &report.passes;
  TROUPE_ASSIGN_OR_RETURN(const Plan plan, make_plan(graph, signature, devices, &evaluator, logged));
  report.nodes_before = graph.num_nodes();
  for (const PlanPartition& part : plan.partitions) {
    pb::GraphDef out;
    to_graph_def(part.graph, &out);
    report.nodes_after += part.graph.num_nodes();
    report.partitions.emplace_back(devices.entries()[part.device].name, std::move(out));
  }
  return report;
}

}  // namespace troupe
