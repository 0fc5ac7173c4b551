#pragma once

#include <memory>
#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

/// What a graph has beyond its first nodes: how a copy of it that has these follows it, at the cost of what is new.
/// Shares nothing mutable with the graph that it is of; the ops and functions of that graph must outlive it.
struct GraphIncrement {
  /// The copy has the nodes below this id, unchanged.
  int first_id = 0;
  /// The nodes from first_id on, with their ids.
  std::vector<Node> nodes;
  /// Those of the graph as it is now.
  std::shared_ptr<const FunctionLibrary> library;
  GraphVersions versions;
};

/// The nodes from `first_id` on. Linear in their number.
GraphIncrement increment_of(const Graph& graph, int first_id);

/// Adds the increment. FailedPrecondition when `graph` has not the first_id nodes that go before; AlreadyExists for a
/// name that is taken. After an error the graph is as before. Linear in the number of new nodes.
absl::Status append(const GraphIncrement& increment, Graph* graph);

/// What a graph was before it got more nodes.
class GraphMark {
 public:
  explicit GraphMark(const Graph& graph)
      : num_ids_(graph.num_ids()), library_(graph.library()), versions_(graph.versions()) {}

  int num_ids() const { return num_ids_; }
  /// Takes out again what came since. Nodes that were there must not have changed.
  void restore(Graph* graph) const;

 private:
  int num_ids_;
  std::shared_ptr<const FunctionLibrary> library_;
  GraphVersions versions_;
};

}  // namespace troupe
