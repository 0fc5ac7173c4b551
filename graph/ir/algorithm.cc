#include "graph/ir/algorithm.h"

#include <algorithm>
#include <queue>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Calls edge(from, to) for every data and control edge between nodes from `first_id` on, but for back edges.
template <class Edge>
void for_forward_edges(const Graph& graph, int first_id, Edge&& edge) {
  for (int to = first_id; to < graph.num_ids(); ++to) {
    const Node& node = graph.node(to);
    for (Endpoint e : node.inputs) {
      if (e.node >= first_id && !is_back_edge(graph.node(e.node), node)) edge(e.node, to);
    }
    for (int c : node.control_inputs) {
      if (c >= first_id) edge(c, to);
    }
  }
}

/// Who waits for whom, as flat arrays; indices are ids less `first_id`.
struct Waiting {
  std::vector<int> pending;
  std::vector<int> begin;
  std::vector<int> consumers;
  /// Every edge goes from a lower to a higher id.
  bool in_order = true;

  Waiting(const Graph& graph, int first_id) {
    const int n = graph.num_ids() - first_id;
    pending.assign(n, 0);
    begin.assign(n + 1, 0);
    for_forward_edges(graph, first_id, [&](int from, int to) {
      ++pending[to - first_id];
      ++begin[from - first_id + 1];
      in_order &= from < to;
    });
    if (in_order) return;
    for (int i = 0; i < n; ++i) begin[i + 1] += begin[i];
    consumers.resize(begin[n]);
    std::vector<int> fill(begin.begin(), begin.end() - 1);
    for_forward_edges(graph, first_id,
                      [&](int from, int to) { consumers[fill[from - first_id]++] = to - first_id; });
  }
};

}  // namespace

bool is_back_edge(const Node& from, const Node& to) {
  return (from.is("NextIteration") || from.is("RefNextIteration")) && (to.is("Merge") || to.is("RefMerge"));
}

absl::StatusOr<std::vector<int>> topological_order(const Graph& graph) {
  std::vector<int> order;
  order.reserve(graph.num_nodes());
  Waiting w(graph, 0);
  if (w.in_order) {
    for (int i = 0; i < graph.num_ids(); ++i) {
      if (!graph.node(i).removed()) order.push_back(i);
    }
    return order;
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < graph.num_ids(); ++i) {
    if (w.pending[i] == 0 && !graph.node(i).removed()) ready.push(i);
  }
  while (!ready.empty()) {
    int id = ready.top();
    ready.pop();
    order.push_back(id);
    for (int k = w.begin[id]; k < w.begin[id + 1]; ++k) {
      if (--w.pending[w.consumers[k]] == 0) ready.push(w.consumers[k]);
    }
  }
  const int left = graph.num_nodes() - static_cast<int>(order.size());
  if (left > 0) return absl::InvalidArgumentError(absl::StrCat(left, " nodes in a cycle"));
  return order;
}

int count_cyclic_nodes(const Graph& graph, int first_id) {
  Waiting w(graph, first_id);
  if (w.in_order) return 0;
  const int n = graph.num_ids() - first_id;
  std::vector<int> ready;
  for (int i = 0; i < n; ++i) {
    if (w.pending[i] == 0) ready.push_back(i);
  }
  int done = 0;
  while (!ready.empty()) {
    int i = ready.back();
    ready.pop_back();
    ++done;
    for (int k = w.begin[i]; k < w.begin[i + 1]; ++k) {
      if (--w.pending[w.consumers[k]] == 0) ready.push_back(w.consumers[k]);
    }
  }
  return n - done;
}

std::vector<int> find_cycle(const Graph& graph) {
  if (count_cyclic_nodes(graph) == 0) return {};
  enum Mark : char { kNew, kOpen, kDone };
  std::vector<Mark> marks(graph.num_ids(), kNew);
  // Depth first along inputs; `path` holds the open nodes and which input of each is next.
  std::vector<std::pair<int, int>> path;
  for (int start = 0; start < graph.num_ids(); ++start) {
    if (marks[start] != kNew) continue;
    marks[start] = kOpen;
    path.assign(1, {start, 0});
    while (!path.empty()) {
      const Node& node = graph.node(path.back().first);
      const int next = path.back().second++;
      if (next >= node.num_inputs() + static_cast<int>(node.control_inputs.size())) {
        marks[node.id] = kDone;
        path.pop_back();
        continue;
      }
      const bool data = next < node.num_inputs();
      const int from = data ? node.inputs[next].node : node.control_inputs[next - node.num_inputs()];
      if (data && is_back_edge(graph.node(from), node)) continue;
      if (marks[from] == kNew) {
        marks[from] = kOpen;
        path.push_back({from, 0});
      } else if (marks[from] == kOpen) {
        std::vector<int> cycle;
        for (size_t i = path.size(); i-- > 0;) {
          cycle.push_back(path[i].first);
          if (path[i].first == from) break;
        }
        return cycle;  // the path goes from consumers to producers, so this is in the order of the edges
      }
    }
  }
  return {};
}

std::vector<bool> reverse_reachable(const Graph& graph, std::span<const int> roots) {
  std::vector<bool> seen(graph.num_ids(), false);
  std::vector<int> stack;
  auto visit = [&](int id) {
    if (seen[id]) return;
    seen[id] = true;
    stack.push_back(id);
  };
  for (int r : roots) visit(r);
  while (!stack.empty()) {
    const Node& node = graph.node(stack.back());
    stack.pop_back();
    for (Endpoint e : node.inputs) visit(e.node);
    for (int c : node.control_inputs) visit(c);
  }
  return seen;
}

std::vector<bool> reachable(const Graph& graph, const ConsumerIndex& consumers, std::span<const int> roots) {
  std::vector<bool> seen(graph.num_ids(), false);
  std::vector<int> stack(roots.begin(), roots.end());
  for (int r : roots) seen[r] = true;
  while (!stack.empty()) {
    int id = stack.back();
    stack.pop_back();
    for (const ConsumerIndex::Use& use : consumers.of(id)) {
      if (seen[use.node]) continue;
      seen[use.node] = true;
      stack.push_back(use.node);
    }
  }
  return seen;
}

}  // namespace troupe
