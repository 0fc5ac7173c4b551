#include "actors/signature_compiler.h"

#include <caf/send.hpp>

#include "absl/strings/str_cat.h"
#include "actors/compile_plan.h"
#include "actors/executor_type.h"
#include "actors/debugger.h"
#include "actors/signature_key.h"
#include "graph/ir/graph_def.h"
#include "graph/passes/cross_memory.h"
#include "graph/passes/infer_shapes.h"
#include "graph/passes/watch_tensors.h"
#include "proto/graph.pb.h"

namespace troupe {
namespace {

/// The plan of a signature whose names are sorted.
absl::StatusOr<Plan> plan_signature(SessionCore& core, const PlacedGraph& placed,
                                    const LeaseRequest& sorted) {
  PlanSignature want;
  want.feeds = sorted.feeds;
  want.fetches = sorted.fetches;
  want.targets = sorted.targets;
  want.partial = sorted.partial;
  want.connections = sorted.connections;
  want.feed_devices = sorted.feed_devices;
  want.fetch_devices = sorted.fetch_devices;
  PlanOptions options = plan_options(core);
  options.placement = placed.placement.get();
  options.stateful_places = placed.stateful_places.get();
  // What is watched is to be there, and as written.
  if (!sorted.watches.empty()) options.optimize = false;
  TROUPE_RETURN_IF_ERROR(check_watches(*placed.graph, sorted.watches));
  TROUPE_ASSIGN_OR_RETURN(Plan plan,
                          make_plan(*placed.graph, want, *core.devices, core.evaluator.get(), options));
  if (sorted.watches.empty()) return plan;
  for (PlanPartition& p : plan.partitions) {
    const std::string& device = core.devices->at(p.device)->name();
    TROUPE_RETURN_IF_ERROR(core.debugger->decorate(sorted.watches, device, &p.graph));
    // Debug ops look at values on the host.
    if (!core.devices->entries()[p.device].host_memory)
      TROUPE_RETURN_IF_ERROR(cross_memory(*core.devices, p.device, &p.graph).status());
  }
  return plan;
}

absl::Status publish_graphs(SessionCore& core, const Plan& plan, const LeaseRequest& sorted) {
  if (sorted.watches.empty()) return absl::OkStatus();
  for (const PlanPartition& p : plan.partitions) {
    const std::string& device = core.devices->at(p.device)->name();
    TROUPE_RETURN_IF_ERROR(core.debugger->publish_graph(p.graph, device, urls_of(sorted.watches)));
  }
  return absl::OkStatus();
}

/// A signature, but for what other tasks have yet to be told.
struct Compiled {
  std::shared_ptr<SignatureCode> code;
  std::vector<RemoteTasks::Part> elsewhere;
};

absl::StatusOr<Compiled> compile(SessionCore& core, const PlacedGraph& placed, const LeaseRequest& sorted) {
  Compiled out;
  TROUPE_ASSIGN_OR_RETURN(Plan plan, plan_signature(core, placed, sorted));
  TROUPE_RETURN_IF_ERROR(check_executor_type(*core.options, *placed.graph, plan));
  TROUPE_RETURN_IF_ERROR(publish_graphs(core, plan, sorted));
  TROUPE_ASSIGN_OR_RETURN(out.code,
                          compile_plan(core, *placed.graph, std::move(plan), &core.stateful, &out.elsewhere));
  SignatureCode* const code = out.code.get();
  code->feeds = sorted.feeds;
  code->fetches = sorted.fetches;
  code->targets = sorted.targets;
  code->partial = sorted.partial;
  for (RemoteTasks::Part& part : out.elsewhere) {
    part.num_feeds = static_cast<int>(sorted.feeds.size());
    part.num_fetches = static_cast<int>(sorted.fetches.size());
  }
  return out;
}

/// Registers what is elsewhere; then, or at once, tells SESSION.
void finish(Compiled compiled, RemoteTasks* remote,
            std::function<void(absl::StatusOr<std::shared_ptr<Signature>>)> tell) {
  if (compiled.elsewhere.empty()) return tell(std::make_shared<Signature>(std::move(compiled.code)));
  using Parts = std::vector<std::shared_ptr<const RemotePart>>;
  remote->register_parts(
      std::move(compiled.elsewhere),
      [code = std::move(compiled.code), tell = std::move(tell)](absl::StatusOr<Parts> parts) {
        if (!parts.ok()) return tell(parts.status());
        code->remotes = *std::move(parts);
        tell(std::make_shared<Signature>(code));
      });
}

/// Puts down what is known of the nodes' outputs where TensorFlow's clients look for it.
void annotate_shapes(Graph* graph, const Evaluator* evaluator) {
  ShapeInference shapes(graph, evaluator);
  shapes.add_all();
  for (int i = 0; i < graph->num_ids(); ++i) {
    Node& n = graph->node(i);
    if (n.removed() || n.output_types.empty()) continue;
    std::vector<PartialShape> known;
    for (int slot = 0; slot < n.num_outputs(); ++slot) known.push_back(shapes.shape({i, slot}));
    n.attrs.set("_output_shapes", std::move(known));
  }
}

absl::StatusOr<PartitionGraphs> describe(SessionCore& core, const PlacedGraph& placed,
                                         LeaseRequest signature) {
  (void)sort_signature(&signature);
  TROUPE_ASSIGN_OR_RETURN(Plan plan, plan_signature(core, placed, signature));
  PartitionGraphs reply;
  for (PlanPartition& p : plan.partitions) {
    if (core.options->infer_shapes) annotate_shapes(&p.graph, core.evaluator.get());
    tensorflow::GraphDef def;
    to_graph_def(p.graph, &def);
    reply.graphs.push_back(def.SerializeAsString());
  }
  return reply;
}

/// `work(core, placed)` on the compile pool, then `tell(result)`. The graph is let go of between, since SESSION then changes it in
/// place.
template <class Result, class Work, class Tell>
void labour(std::shared_ptr<SessionCore> core, PlacedGraph placed, Work work, Tell tell) {
  NamedPool& pool = *core->compilers;
  pool.run([core = std::move(core), placed = std::move(placed), work = std::move(work),
            tell = std::move(tell)]() mutable {
    auto result = std::make_shared<absl::StatusOr<Result>>(absl::InternalError("not compiled"));
    try {
      if (core->closing.cancelled()) {
        *result = core->closing.reason();
      } else {
        *result = work(*core, placed);
      }
    } catch (const std::exception& e) {
      *result = absl::ResourceExhaustedError(absl::StrCat("compiling a signature failed: ", e.what()));
    }
    placed = {};
    tell(std::move(result));
  });
}

}  // namespace

void compile_signature(std::shared_ptr<SessionCore> core, PlacedGraph placed, LeaseRequest sorted,
                       std::string key, SessionActor report_to) {
  using Result = absl::StatusOr<std::shared_ptr<Signature>>;
  auto tell = [key = std::move(key), report_to](Result result) {
    caf::anon_send(report_to, CompileDone{key, std::make_shared<Result>(std::move(result))});
  };
  const std::shared_ptr<RemoteTasks> remote = core->remote;
  labour<Compiled>(
      std::move(core), std::move(placed),
      [sorted = std::move(sorted)](SessionCore& c, const PlacedGraph& g) { return compile(c, g, sorted); },
      [remote, tell = std::move(tell)](std::shared_ptr<absl::StatusOr<Compiled>> compiled) {
        if (!compiled->ok()) return tell(compiled->status());
        finish(*std::move(*compiled), remote.get(), tell);
      });
}

void describe_partitions(std::shared_ptr<SessionCore> core, PlacedGraph placed, LeaseRequest signature,
                         int64_t number, SessionActor report_to) {
  labour<PartitionGraphs>(
      std::move(core), std::move(placed),
      [signature = std::move(signature)](SessionCore& c, const PlacedGraph& g) {
        return describe(c, g, signature);
      },
      [number, report_to](std::shared_ptr<absl::StatusOr<PartitionGraphs>> result) {
        caf::anon_send(report_to, PartitionsDescribed{number, std::move(result)});
      });
}

}  // namespace troupe
