#include "graph/passes/drop_unread.h"

#include <algorithm>
#include <vector>

#include "graph/ir/algorithm.h"
#include "graph/ir/in_place.h"
#include "graph/passes/replace.h"

namespace troupe {
namespace {

/// Without a state, but not there for their results alone.
bool has_a_purpose(const Node& n) {
  for (const char* op :
       {"_Arg", "_Retval", "Placeholder", "PlaceholderV2", "CheckNumerics", "_ParallelConcatUpdate"}) {
    if (n.is(op)) return true;
  }
  return writes_to_input(n);
}

class Dropper {
 public:
  Dropper(Draft* draft, const NodeFilter& consider)
      : graph_(draft->graph), consider_(consider), readers_(graph_.num_ids()), waiters_(graph_.num_ids()) {
    for (int root : draft->roots) ++readers_[root];
    for (int i = 0; i < graph_.num_ids(); ++i) {
      const Node& n = graph_.node(i);
      if (n.removed()) continue;
      for (const Endpoint& e : n.inputs) ++readers_[e.node];
      for (const int c : n.control_inputs) ++waiters_[c];
    }
  }

  absl::StatusOr<PassStats> run() {
    PassStats stats("drop_unread", graph_);
    TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(graph_));
    const OpDef* const no_op = graph_.ops().find("NoOp");
    int64_t dropped = 0;
    // Who reads them first: what is left of those reads nothing.
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      if (no_op == nullptr || !may_drop(graph_.node(*id))) continue;
      TROUPE_RETURN_IF_ERROR(drop(*id, no_op));
      ++dropped;
    }
    return stats.count("unread", dropped).done(graph_);
  }

 private:
  bool may_drop(const Node& n) const {
    if (readers_[n.id] > 0 || waiters_[n.id] == 0 || n.output_types.empty()) return false;
    if (is_control_flow(*n.op) || has_a_purpose(n) || takes_functions(*n.op)) return false;
    auto routes = [this](Endpoint e) { return is_control_flow(*graph_.node(e.node).op); };
    return std::none_of(n.inputs.begin(), n.inputs.end(), routes) && may_replace(graph_, n, consider_);
  }

  absl::Status drop(int id, const OpDef* no_op) {
    Node& n = graph_.node(id);
    std::vector<int> waits;
    for (const Endpoint& e : n.inputs) {
      --readers_[e.node];
      ++waiters_[e.node];
      waits.push_back(e.node);
    }
    TROUPE_RETURN_IF_ERROR(become(&n, no_op, {}, {}));
    graph_.add_control_inputs(id, waits);
    return absl::OkStatus();
  }

  Graph& graph_;
  const NodeFilter& consider_;
  /// By node: how many inputs are its results, or 1 for a root; who waits for it.
  std::vector<int> readers_, waiters_;
};

}  // namespace

absl::StatusOr<PassStats> drop_unread(Draft* draft, const NodeFilter& consider) {
  return Dropper(draft, consider).run();
}

}  // namespace troupe
