#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "actors/messages.h"
#include "graph/ir/graph.h"
#include "graph/passes/place.h"
#include "graph/passes/stateful_places.h"

namespace troupe {

struct SessionCore;

/// A graph, and where its nodes are. With place_pruned_graph, where signatures decide, `placement` is null, and `stateful_places` counts.
struct PlacedGraph {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Placement> placement;
  std::shared_ptr<StatefulPlaces> stateful_places;
};

/// What a change makes of a session's graph.
struct GraphChange {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<Placement> placement;
  /// The same graph when it was made here, and may be changed.
  std::shared_ptr<Graph> own;
};

/// A session's graph and how it changes. SESSION's own; the labour of a change is for another thread. Only SESSION hands
/// references to the graph out, and to nobody from `begin` to `finish`: a graph that nobody else looks at is changed in place.
class SessionGraph {
 public:
  /// Does what takes long. After an error the graph is as before.
  using Labour = std::function<absl::StatusOr<GraphChange>()>;

  /// Null: there is none yet.
  const std::shared_ptr<const Graph>& get() const { return graph_; }
  PlacedGraph placed() const { return {graph_, placement_, stateful_places_}; }

  /// AlreadyExists when there is a graph. `core` must outlive the labour.
  absl::StatusOr<Labour> begin(const SessionCore& core, const CreateGraph& change) const;
  /// FailedPrecondition when there is nothing to extend, or the session's options forbid it.
  absl::StatusOr<Labour> begin(const SessionCore& core, const ExtendGraph& change) const;
  /// Returns the graph that was there before, for whoever has the time to free it.
  GraphChange finish(GraphChange changed);

 private:
  struct Base;
  Base base() const;

  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<Graph> own_;
  std::shared_ptr<Placement> placement_;
  std::shared_ptr<StatefulPlaces> stateful_places_ = std::make_shared<StatefulPlaces>();
};

}  // namespace troupe
