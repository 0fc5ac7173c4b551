#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

/// A graph on its way to become a plan. Passes change it in place; removed nodes keep their ids until the end.
struct Draft {
  Graph graph;
  /// What must survive: fetches, targets, side effects of function bodies. Ids of live nodes; passes that replace one
  /// of them put the new id here.
  std::vector<int> roots;
};

/// Says which nodes a pass may replace; null: all.
using NodeFilter = std::function<bool(const Node&)>;

/// What one pass did.
struct PassStats {
  explicit PassStats(std::string name, const Graph& before)
      : pass(std::move(name)), nodes_before(before.num_nodes()) {}

  PassStats& done(const Graph& after) {
    nodes_after = after.num_nodes();
    return *this;
  }
  PassStats& count(std::string what, int64_t n) {
    counts.emplace_back(std::move(what), n);
    return *this;
  }
  /// 0 when nothing was counted under that name.
  int64_t operator[](absl::string_view what) const;
  /// "prune: 120 -> 40 nodes; removed 80".
  std::string to_string() const;

  std::string pass;
  int nodes_before = 0;
  int nodes_after = 0;
  std::vector<std::pair<std::string, int64_t>> counts;
};

/// Endpoints that take the place of others, for passes that re-point consumers: filled while walking, applied to each
/// node's inputs with `resolve`. Chains are followed and shortened.
class EndpointMap {
 public:
  void set(Endpoint from, Endpoint to) { map_[from] = to; }
  bool empty() const { return map_.empty(); }
  Endpoint resolve(Endpoint e);
  /// Rewrites all data inputs of the graph; returns how many changed.
  int apply(Graph* graph);

 private:
  absl::flat_hash_map<Endpoint, Endpoint> map_;
};

/// Ops of the dead-and-alive kind, which decide themselves what happens to values: Switch, Merge, Enter, ...
bool is_control_flow(const OpDef& op);
/// Switch and its like, of whose outputs only one is alive: a control edge from them says nothing about which.
bool is_switch(const OpDef& op);
/// Whether an op is told by an attr which functions it calls: what those do cannot be seen from the op.
bool takes_functions(const OpDef& op);
/// Turns a node into a Const of this value; its control inputs stay, its data inputs go.
void make_const(Node* node, const OpDef* const_op, Tensor value);
/// The value of a Const node, else null.
const Tensor* const_value(const Node& node);

}  // namespace troupe
