#pragma once

#include <caf/typed_response_promise.hpp>

#include <functional>
#include <list>
#include <variant>
#include <vector>

#include "actors/interfaces.h"
#include "actors/session_graph.h"

namespace troupe {

/// The changes of a session's graph, one after the other on the compile pool, and what waits for them. SESSION's own, called in its turns.
class GraphChanges {
 public:
  using Promise = caf::typed_response_promise<Done>;
  /// The last of them is the end of all changes.
  using Kind = std::variant<CreateGraph, ExtendGraph, FinalizeRequest>;

  /// `session` gets GraphChanged.
  GraphChanges(std::shared_ptr<SessionCore> core, SessionActor::pointer session)
      : core_(std::move(core)), session_(session) {}

  /// The promise is kept when the change is made, or cannot be.
  void add(Kind what, Promise promise);
  /// What the compile pool has made.
  void finish(const GraphChanged& m);
  /// Calls `f` when no change of the graph is under way: what looks at the graph, or keeps it, may go on. `f` finds
  /// out itself whether the session is closed.
  void when_unchanging(std::function<void()> f);
  /// The session closes: nobody waits any more.
  void shut(const absl::Status& why);
  /// Lets go of the graph.
  void clear();

  const std::shared_ptr<const Graph>& graph() const { return graph_.get(); }
  PlacedGraph placed() const { return graph_.placed(); }

 private:
  struct Change {
    Kind what;
    Promise promise;
  };
  void begin_next();
  /// What it takes to make the first change; an error when it is refused at once.
  absl::StatusOr<SessionGraph::Labour> labour_of_first() const;
  absl::Status finalize();
  void run_waiting();

  const std::shared_ptr<SessionCore> core_;
  const SessionActor::pointer session_;
  SessionGraph graph_;
  /// The first is under way when `changing_`.
  std::list<Change> changes_;
  bool changing_ = false;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace troupe
