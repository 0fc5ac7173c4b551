#include "actors/compile_plan.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/debugger.h"
#include "actors/placement_log.h"
#include "graph/gradients/function_gradient.h"
#include "graph/ir/device_name.h"

namespace troupe {
namespace {

/// What the signatures of a graph need to find functions that they call: the graph without its nodes. Null when it has no functions.
std::shared_ptr<const Graph> functions_of(const Graph& graph) {
  if (graph.library() == nullptr || graph.library()->empty()) return nullptr;
  auto out = std::make_shared<Graph>(&graph.ops());
  out->set_library(graph.library());
  out->versions() = graph.versions();
  return out;
}

/// Among the parts of its task.
void add_elsewhere(const std::string& device, PlanPartition partition,
                   std::vector<RemoteTasks::Part>* elsewhere) {
  const std::string task = DeviceName::parse(device)->task_string();
  auto part =
      std::find_if(elsewhere->begin(), elsewhere->end(), [&](const auto& p) { return p.task == task; });
  if (part == elsewhere->end()) {
    elsewhere->emplace_back();
    part = std::prev(elsewhere->end());
    part->task = task;
  }
  part->partitions.push_back(std::move(partition));
  part->devices.push_back(device);
}

/// Debug ops find on their device where to send what they see; sessions without any have no such thing.
absl::Status provide_debug_sink(const SessionCore& core, const Graph& partition, Device* device) {
  for (int i = 0; i < partition.num_ids(); ++i) {
    const Node& n = partition.node(i);
    if (n.removed() || !absl::StartsWith(n.op->name, "Debug")) continue;
    const auto make = [&]() -> absl::StatusOr<std::shared_ptr<DebugSink>> { return core.debugger; };
    return device->resources()
        .lookup_or_create<DebugSink>(DebugSink::kContainer, DebugSink::kName, make)
        .status();
  }
  return absl::OkStatus();
}

/// Which feeds a partition wants in its device's memory.
void note_device_feeds(const Graph& partition, SignatureCode* code) {
  code->device_feeds.resize(code->feed_types.size());
  for (int i = 0; i < partition.num_ids(); ++i) {
    const Node& n = partition.node(i);
    if (n.is("_Arg") && n.attrs.find(kClientDevice) != nullptr)
      code->device_feeds[n.attrs.get_or<int64_t>("index", 0)] = true;
  }
}

}  // namespace

PlanOptions plan_options(const SessionCore& core) {
  PlanOptions options;
  options.optimize = core.options->optimize;
  options.fold_constants = core.options->fold_constants;
  options.take_known_branches = core.options->take_known_branches;
  options.rewrite_arithmetic = core.options->rewrite_arithmetic;
  options.merge_common_subexpressions = core.options->merge_common_subexpressions;
  options.bypass_identities = core.options->bypass_identities;
  options.fuse = core.options->fuse;
  options.min_graph_nodes = core.options->min_graph_nodes;
  options.inline_functions = core.options->inline_functions;
  options.allow_soft_placement = core.options->allow_soft_placement;
  if (core.options->log_device_placement) {
    options.placed = [log = std::make_shared<PlacementLog>(*core.devices)](const Node& n) {
      log->add(n, n.device);
    };
  }
  options.max_folded_constant_bytes = core.options->max_folded_constant_bytes;
  options.differentiator = &builtin_differentiator();
  options.stopped = [&core] { return core.closing.cancelled() ? core.closing.reason() : absl::OkStatus(); };
  return options;
}

absl::StatusOr<std::shared_ptr<SignatureCode>> compile_plan(const SessionCore& core, const Graph& graph,
                                                            Plan plan, StatefulKernels* stateful,
                                                            std::vector<RemoteTasks::Part>* elsewhere) {
  auto code = std::make_shared<SignatureCode>();
  code->feed_types = std::move(plan.feed_types);
  code->fetch_types = std::move(plan.fetch_types);
  code->functions = functions_of(graph);
  for (PlanPartition& p : plan.partitions) {
    if (core.closing.cancelled()) return core.closing.reason();
    const DeviceCatalog::Entry& where = core.devices->entries()[p.device];
    if (!where.local) {
      add_elsewhere(where.name, std::move(p), elsewhere);
      code->has_transfers = code->crosses_tasks = true;
      continue;
    }
    if (!where.host_memory) note_device_feeds(p.graph, code.get());
    Device* const device = core.devices->at(p.device);
    TROUPE_RETURN_IF_ERROR(provide_debug_sink(core, p.graph, device));
    TROUPE_ASSIGN_OR_RETURN(
        auto compiled,
        CompiledPartition::compile(p.graph, device, core.devices->kernels(), stateful, core.nodes.get()));
    code->has_transfers |= compiled->has_transfers();
    code->partitions.push_back(std::move(compiled));
  }
  return code;
}

}  // namespace troupe
