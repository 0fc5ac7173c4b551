#pragma once

#include <span>
#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

/// The edge that closes a loop: the only kind that may point backwards.
bool is_back_edge(const Node& from, const Node& to);

/// Ids of all nodes that are not removed, producers first, otherwise in order of ids; back edges do not count.
/// InvalidArgument "n nodes in a cycle". Linear for graphs that are in order already.
absl::StatusOr<std::vector<int>> topological_order(const Graph& graph);

/// How many of the nodes from `first_id` on wait for themselves, or for a node that does, by edges among those.
int count_cyclic_nodes(const Graph& graph, int first_id = 0);

/// The nodes of one cycle, each an input of the next; empty when there is none.
std::vector<int> find_cycle(const Graph& graph);

/// Per id: whether one of `roots` needs that node, by data or control edges; back edges count.
std::vector<bool> reverse_reachable(const Graph& graph, std::span<const int> roots);
/// Per id: whether that node depends on one of `roots`.
std::vector<bool> reachable(const Graph& graph, const ConsumerIndex& consumers, std::span<const int> roots);

}  // namespace troupe
