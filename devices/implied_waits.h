#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "devices/compiled_node.h"
#include "graph/ir/graph.h"

namespace troupe {

/// Which waits of a node follow from others: a constant in a loop's body waits for the loop's pivot, as do all the
/// values that it meets there, so that its consumers need not wait for it. For one compilation; not thread-safe.
class ImpliedWaits {
 public:
  /// `index` gives the node of a graph's id. All three outlive this, and `nodes` has its kinds.
  ImpliedWaits(const Graph& graph, std::span<const CompiledNode> nodes, std::span<const int> index)
      : graph_(graph), nodes_(nodes), index_(index) {}

  /// Whether node `id`, were it without its data inputs `slots` (a bit each), would still start only after everything
  /// that the Const `constant` waits for, and be dead whenever that Const is dead. May say no where the answer is yes:
  /// it looks at a bounded part of the graph. Ids of the graph.
  bool cover(int id, uint32_t slots, int constant);

 private:
  NodeKind kind(int id) const { return nodes_[index_[id]].kind; }
  /// Fills seen_ and branches_ with what surely ran, and was alive, before a live `id`.
  void collect(int id, uint32_t without_slots);
  void note(Endpoint e);
  bool follows(int id, int depth) const;
  bool follows(Endpoint e, int depth) const;

  const Graph& graph_;
  const std::span<const CompiledNode> nodes_;
  const std::span<const int> index_;
  absl::flat_hash_set<int> seen_;
  /// Predicates (node, slot) and the side that was taken.
  absl::flat_hash_set<std::tuple<int, int, int>> branches_;
  std::vector<int> queue_;
};

}  // namespace troupe
