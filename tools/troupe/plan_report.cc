#include "tools/troupe/plan_report.h"

#include <memory>

#include "actors/machine_devices.h"

#include "devices/cpu/cpu_device.h"
#include "devices/cpu/folding_evaluator.h"
#include "devices/cpu/kernels/register_kernels.h"
#include "devices/cuda/cuda_device.h"
#include "devices/device_set.h"

#include "graph/ir/graph.h"
#include "graph/ir/graph_def.h"
#include "graph/passes/pass.h"
#include "graph/status.h"

#include "proto/node_def.pb.h"

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

constexpr char kTask[] = "/job:localhost/replica:0/task:0";

/// The graph without its functions; nodes that were placed are on the devices that they got.
pb::GraphDef placed_graph_def(const Graph& graph, const DeviceCatalog& devices) {
  pb::GraphDef def;
  to_graph_def(graph, &def);
  def.clear_library();
  int next = 0;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& node = graph.node(i);
    if (node.removed()) continue;
    pb::NodeDef& out = *def.mutable_node(next++);
    if (node.device >= 0) out.set_device(devices.entries()[node.device].name);
  }
  return def;
}

/// Of GPUs that are only planned for.
class NoMemory final : public Allocator {
 public:
  void* allocate(size_t) override { return nullptr; }
  void deallocate(void*, size_t) override {}
  absl::string_view name() const override { return "planned"; }
  AllocatorStats stats() const override { return {}; }
  bool is_host() const override { return false; }
};

std::shared_ptr<Device> planned_gpu(int index) {
  static NoMemory memory;
  DeviceAttributes a;
  a.name = absl::StrCat(kTask, "/device:GPU:", index);
  a.type = "GPU";
  return std::make_shared<Device>(std::move(a), &memory, serial_runner());
}

/// Gathers the runs of a watched pass from what the planner tells after each pass.
class PassWatcher {
 public:
  PassWatcher(const DeviceCatalog& devices, const std::string& watched, const Graph& graph)
      : devices_(devices), watched_(watched) {
    if (!watched_.empty()) last_ = placed_graph_def(graph, devices_);
  }

  void see(const PassStats& done, const Graph& after) {
    if (watched_.empty()) return;
    add(done.pass, done.to_string(), placed_graph_def(after, devices_));
  }

  /// The last pass: its graph is that of all parts together.
  std::string see_partitions(const Plan& plan) {
    pb::GraphDef after;
    int nodes = 0;
    for (const PlanPartition& part : plan.partitions) {
      nodes += part.graph.num_nodes();
      if (!watched_.empty()) after.MergeFrom(placed_graph_def(part.graph, devices_));
    }
    const std::string summary =
        absl::StrCat("partition: ", last_nodes_, " -> ", nodes, " nodes; parts ", plan.partitions.size());
    if (!watched_.empty()) add("partition", summary, std::move(after));
    return summary;
  }

  void count(const Graph& after) { last_nodes_ = after.num_nodes(); }
  std::vector<PassRun> take_runs() { return std::move(runs_); }

 private:
  void add(const std::string& pass, const std::string& summary, pb::GraphDef after) {
    if (watched_ == "all" || watched_ == pass) runs_.push_back({pass, summary, last_, after});
    last_ = std::move(after);
  }

  const DeviceCatalog& devices_;
  const std::string watched_;
  pb::GraphDef last_;
  int last_nodes_ = 0;
  std::vector<PassRun> runs_;
};

}  // namespace

absl::StatusOr<PlanReport> plan_report(const pb::GraphDef& def, const PlanSignature& signature, int cpus,
                                       const PlanOptions& options, const std::string& watched, int gpus) {
  Graph graph;
  TROUPE_RETURN_IF_ERROR(import_graph_def(def, ImportOptions(), &graph));
  DeviceSet devices(gpus > 0 ? &kernels_with_gpus() : &builtin_kernels());
  for (int i = 0; i < cpus; ++i) {
    devices.add(make_cpu_device(kTask, i, plain_allocator(), serial_runner()), kCpuPriority);
  }
  for (int i = 0; i < gpus; ++i) devices.add(planned_gpu(i), kGpuPriority);
  const FoldingEvaluator evaluator(&builtin_kernels());

  PlanReport report;
  PassWatcher watcher(devices, watched, graph);
  PlanOptions observed = options;
  observed.observer = [&](const PassStats& done, const Graph& after) {
    report.passes.push_back(done.to_string());
    watcher.count(after);
    watcher.see(done, after);
  };
  TROUPE_ASSIGN_OR_RETURN(const Plan plan, make_plan(graph, signature, devices, &evaluator, observed));
  report.passes.push_back(watcher.see_partitions(plan));
  report.runs = watcher.take_runs();
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
