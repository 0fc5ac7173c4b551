#include "graph/passes/prune.h"

namespace troupe {

PassStats prune(Draft* draft) {
  Graph& graph = draft->graph;
  PassStats stats("prune", graph);
  std::vector<bool> needed(graph.num_ids());
  std::vector<int> stack;
  auto visit = [&](int id) {
    if (id < 0 || needed[id] || graph.node(id).removed()) return;
    needed[id] = true;
    stack.push_back(id);
  };
  for (int root : draft->roots) visit(root);
  while (!stack.empty()) {
    const Node& node = graph.node(stack.back());
    stack.pop_back();
    for (Endpoint e : node.inputs) visit(e.node);
    for (int c : node.control_inputs) visit(c);
  }
  int64_t removed = 0;
  for (int i = 0; i < graph.num_ids(); ++i) {
    if (needed[i] || graph.node(i).removed()) continue;
    graph.remove_node(i);
    ++removed;
  }
  return stats.count("removed", removed).done(graph);
}

}  // namespace troupe
