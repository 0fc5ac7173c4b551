#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "actors/messages/session.h"
#include "graph/ir/graph_increment.h"
#include "proto/graph.pb.h"

namespace troupe {

/// What the master of a session elsewhere has of its graph, and what is to be sent for the rest. One thread's at a time.
class RemoteGraph {
 public:
  /// `target`: the master's, for errors.
  explicit RemoteGraph(std::string target) : target_(std::move(target)) {}

  /// What a master is to get for this change. FailedPrecondition for an increment that does not follow what it has, and for a graph whose nodes
  /// are not those that it has: what a master has cannot be changed. Then `sent` or `refused`, once.
  absl::StatusOr<tensorflow::GraphDef> next(const CreateGraph& change);
  absl::StatusOr<tensorflow::GraphDef> next(const ExtendGraph& change);
  void sent() { before_.reset(); }
  void refused();

 private:
  absl::StatusOr<tensorflow::GraphDef> adopt(std::shared_ptr<const Graph> graph);
  absl::StatusOr<tensorflow::GraphDef> append(const GraphIncrement& increment);
  /// The nodes that are new.
  tensorflow::GraphDef beyond(int num_ids) const;

  const std::string target_;
  /// What was given as a graph, with the increments since: they name nodes by number. Null when the master has nothing, or (`by_proto_`) what was
  /// given as a GraphDef.
  std::shared_ptr<const Graph> graph_;
  /// The same when nobody else has it.
  std::shared_ptr<Graph> own_;
  bool by_proto_ = false;

  /// What there was before the change that is under way.
  struct Before {
    std::shared_ptr<const Graph> graph;
    bool by_proto = false;
    /// Of an increment.
    std::optional<GraphMark> mark;
  };
  std::optional<Before> before_;
};

}  // namespace troupe
