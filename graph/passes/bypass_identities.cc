#include "graph/passes/bypass_identities.h"

#include <algorithm>

#include "graph/ir/algorithm.h"
#include "graph/passes/replace.h"

namespace troupe {
namespace {

bool hands_on(const Node& n) { return n.is("Identity") || n.is("StopGradient") || n.is("PreventGradient"); }

class Bypasser {
 public:
  Bypasser(Draft* draft, const NodeFilter& consider)
      : graph_(draft->graph), consumers_(draft->graph), consider_(consider), is_root_(graph_.num_ids()) {
    for (int root : draft->roots) is_root_[root] = true;
  }

  absl::StatusOr<PassStats> run() {
    PassStats stats("bypass_identities", graph_);
    TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(graph_));
    for (int id : order) {
      Node& n = graph_.node(id);
      redirect(n);
      if (is_root_[id] || (!hands_on(n) && !n.is("NoOp")) || !may_replace(graph_, n, consider_)) continue;
      if (n.is("NoOp")) {
        if (!may_bypass_no_op(n)) continue;
        controls_[id].assign(n.control_inputs.begin(), n.control_inputs.end());
      } else {
        if (!may_bypass_identity(n)) continue;
        outputs_.set({id, 0}, n.inputs[0]);
        controls_[id] = {n.inputs[0].node};
      }
      graph_.remove_node(id);
      ++bypassed_;
    }
    // Back edges.
    for (int i = 0; i < graph_.num_ids(); ++i) {
      if (!graph_.node(i).removed()) redirect(graph_.node(i));
    }
    return stats.count("bypassed", bypassed_).done(graph_);
  }

 private:
  /// Makes a node use, and wait for, what is behind nodes that are gone.
  void redirect(Node& n) {
    for (Endpoint& e : n.inputs) e = outputs_.resolve(e);
    auto is_gone = [this](int c) { return controls_.contains(c); };
    if (std::none_of(n.control_inputs.begin(), n.control_inputs.end(), is_gone)) return;
    std::vector<int> waits;
    for (int c : n.control_inputs) {
      if (auto it = controls_.find(c); it != controls_.end()) {
        waits.insert(waits.end(), it->second.begin(), it->second.end());
      } else {
        waits.push_back(c);
      }
    }
    n.control_inputs.clear();
    graph_.add_control_inputs(n.id, waits);
  }

  bool may_bypass_identity(const Node& n) const {
    const Node& from = graph_.node(n.inputs[0].node);
    if (!n.control_inputs.empty() || from.device != n.device) return false;
    for (const ConsumerIndex::Use& use : consumers_.of(n.id)) {
      const Node& user = graph_.node(use.node);
      if (use.slot < 0 ? is_control_flow(*from.op) : user.is("_Retval") || user.is("_Send")) return false;
    }
    return true;
  }

  bool may_bypass_no_op(const Node& n) const {
    const auto uses = consumers_.of(n.id);
    const size_t in = n.control_inputs.size(), out = uses.size();
    if (in * out > in + out) return false;
    auto elsewhere = [&](int id) { return graph_.node(id).device != n.device; };
    return std::none_of(n.control_inputs.begin(), n.control_inputs.end(), elsewhere) &&
           std::none_of(uses.begin(), uses.end(), [&](const auto& use) { return elsewhere(use.node); });
  }

  Graph& graph_;
  const ConsumerIndex consumers_;
  const NodeFilter& consider_;
  std::vector<bool> is_root_;
  EndpointMap outputs_;
  /// By the id of a node that is gone: what waits for it waits for instead.
  absl::flat_hash_map<int, std::vector<int>> controls_;
  int64_t bypassed_ = 0;
};

}  // namespace

absl::StatusOr<PassStats> bypass_identities(Draft* draft, const NodeFilter& consider) {
  return Bypasser(draft, consider).run();
}

}  // namespace troupe
