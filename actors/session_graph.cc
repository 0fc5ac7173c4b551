#include "actors/session_graph.h"

#include <atomic>
#include <exception>

#include "absl/strings/str_cat.h"
#include "actors/placement_log.h"
#include "actors/session_core.h"
#include "graph/ir/graph_def.h"
#include "graph/ir/graph_increment.h"
#include "proto/graph.pb.h"

namespace troupe {
namespace {

/// Decides where the nodes that are new are, once for all signatures; unless only what runs is to be placed.
absl::Status place_new(const SessionCore& core, const Graph& graph, Placement* placement) {
  if (placement == nullptr) return absl::OkStatus();
  const int first_id = placement->num_ids();
  TROUPE_RETURN_IF_ERROR(placement->extend(*core.devices, core.options->allow_soft_placement, graph));
  log_placement(core, graph, *placement, first_id);
  return absl::OkStatus();
}

/// Graph and placement with what is new; both are as before after an error.
absl::Status add(const SessionCore& core, const ExtendGraph& change, Graph* graph, Placement* placement) {
  const GraphMark before(*graph);
  absl::Status status;
  try {
    status = change.proto != nullptr ? import_graph_def(*change.proto, ImportOptions(), graph)
                                     : append(*change.increment, graph);
    if (status.ok()) status = place_new(core, *graph, placement);
  } catch (const std::exception& e) {
    status = absl::ResourceExhaustedError(absl::StrCat("extending the graph failed: ", e.what()));
  }
  if (!status.ok()) before.restore(graph);
  return status;
}

}  // namespace

/// What a change begins with: what may be changed in place, or else what is to be copied.
struct SessionGraph::Base {
  std::shared_ptr<Graph> own;
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<Placement> placement;
  bool may_change_placement = false;

  std::shared_ptr<Graph> changeable_graph() const {
    return own != nullptr ? own : std::make_shared<Graph>(graph->clone());
  }
  /// Null with place_pruned_graph.
  std::shared_ptr<Placement> changeable_placement(const SessionCore& core) const {
    if (core.options->place_pruned_graph) return nullptr;
    if (placement == nullptr) return std::make_shared<Placement>();
    return may_change_placement ? placement : std::make_shared<Placement>(*placement);
  }
  /// A graph that is taken as it is.
  absl::StatusOr<GraphChange> adopt(const SessionCore& core, std::shared_ptr<const Graph> taken) const {
    std::shared_ptr<Placement> where = changeable_placement(core);
    TROUPE_RETURN_IF_ERROR(place_new(core, *taken, where.get()));
    return GraphChange{std::move(taken), std::move(where), nullptr};
  }
};

absl::StatusOr<SessionGraph::Labour> SessionGraph::begin(const SessionCore& core,
                                                         const CreateGraph& change) const {
  if (graph_ != nullptr) {
    return absl::AlreadyExistsError("A Graph has already been created for this session.");
  }
  return [&core, change, base = base()]() -> absl::StatusOr<GraphChange> {
    if (change.proto == nullptr) return base.adopt(core, change.graph);
    auto graph = std::make_shared<Graph>(core.ops);
    std::shared_ptr<Placement> placement = base.changeable_placement(core);
    TROUPE_RETURN_IF_ERROR(import_graph_def(*change.proto, ImportOptions(), graph.get()));
    TROUPE_RETURN_IF_ERROR(place_new(core, *graph, placement.get()));
    return GraphChange{graph, placement, graph};
  };
}

absl::StatusOr<SessionGraph::Labour> SessionGraph::begin(const SessionCore& core,
                                                         const ExtendGraph& change) const {
  if (graph_ == nullptr && change.increment == nullptr)
    return begin(core, CreateGraph{change.proto, change.graph});
  if (graph_ == nullptr) return absl::FailedPreconditionError("the session has no graph to extend");
  if (core.options->optimize_for_static_graph) {
    return absl::FailedPreconditionError(
        "Extend is not allowed when optimize_for_static_graph is true in the session's ConfigProto");
  }
  return [&core, change, base = base()]() -> absl::StatusOr<GraphChange> {
    if (change.graph != nullptr) return base.adopt(core, change.graph);
    std::shared_ptr<Graph> graph = base.changeable_graph();
    std::shared_ptr<Placement> placement = base.changeable_placement(core);
    TROUPE_RETURN_IF_ERROR(add(core, change, graph.get(), placement.get()));
    return GraphChange{graph, placement, graph};
  };
}

SessionGraph::Base SessionGraph::base() const {
  constexpr long kOwnReferences = 2;
  Base base{nullptr, graph_, placement_, placement_.use_count() == 1};
  if (graph_ == own_ && own_.use_count() == kOwnReferences)
    base = {own_, nullptr, placement_, base.may_change_placement};
  // After what those who let go of them have read.
  std::atomic_thread_fence(std::memory_order_acquire);
  return base;
}

GraphChange SessionGraph::finish(GraphChange changed) {
  GraphChange before{std::move(graph_), std::move(placement_), std::move(own_)};
  graph_ = std::move(changed.graph);
  placement_ = std::move(changed.placement);
  own_ = std::move(changed.own);
  // Changed in place: a reference would make the next change copy it.
  if (before.graph == graph_) return {};
  return before;
}

}  // namespace troupe
