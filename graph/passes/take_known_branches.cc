#include "graph/passes/take_known_branches.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/algorithm.h"

namespace troupe {
namespace {

class BranchTaker {
 public:
  BranchTaker(const DeviceCatalog& devices, Draft* draft, const NodeFilter& consider)
      : devices_(devices), graph_(draft->graph), consider_(consider),
        identity_(graph_.ops().find("Identity")) {}

  absl::StatusOr<PassStats> run() {
    PassStats stats("take_known_branches", graph_);
    TROUPE_RETURN_IF_ERROR(open_switches());
    int64_t taken = 0;
    if (!dead_.empty()) {
      note_second_outputs();
      TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(graph_));
      for (int id : order) TROUPE_RETURN_IF_ERROR(visit(graph_.node(id), &taken));
    }
    return stats.count("taken", taken).done(graph_);
  }

 private:
  /// Past each Switch that knows its way leads an Identity; its other outputs are dead.
  absl::Status open_switches() {
    const ConsumerIndex consumers(graph_);
    const int num_ids = graph_.num_ids();
    for (int id = 0; id < num_ids; ++id) {
      const std::optional<int> way = known_way(graph_.node(id), consumers);
      if (!way) continue;
      TROUPE_ASSIGN_OR_RETURN(const int past, add_identity(graph_.node(id)));
      for (const ConsumerIndex::Use& use : consumers.of(id)) {
        if (use.slot >= 0 && use.src_slot == *way) graph_.node(use.node).inputs[use.slot] = {past, 0};
      }
      for (int slot = 0; slot < graph_.node(id).num_outputs(); ++slot) {
        if (slot != *way) dead_.insert({id, slot});
      }
    }
    return absl::OkStatus();
  }

  /// The output that a Switch always takes.
  std::optional<int> known_way(const Node& n, const ConsumerIndex& consumers) const {
    if (!n.is("Switch") && !n.is("_SwitchN")) return std::nullopt;
    if (identity_ == nullptr || !may_replace(graph_, n, consider_) ||
        !has_kernel(devices_, n, *identity_, {{"T", n.output_types[0]}}))
      return std::nullopt;
    // The way out of a loop, and back into it, is not looked into.
    for (const ConsumerIndex::Use& use : consumers.of(n.id)) {
      const Node& user = graph_.node(use.node);
      if (user.is("Exit") || user.is("NextIteration")) return std::nullopt;
    }
    const Tensor* where = const_value(graph_.node(n.inputs[1].node));
    if (where == nullptr || where->rank() != 0) return std::nullopt;
    if (where->dtype() == DataType::kBool) return where->value<bool>() ? 1 : 0;
    if (where->dtype() != DataType::kInt32) return std::nullopt;
    // What is out of range goes to the last branch.
    const int branch = where->value<int32_t>(), last = n.num_outputs() - 1;
    return branch < 0 || branch > last ? last : branch;
  }

  absl::StatusOr<int> add_identity(const Node& n) {
    const std::string name = graph_.unique_name(absl::StrCat(n.name, "/taken"));
    TROUPE_ASSIGN_OR_RETURN(Node * past, graph_.add_node(name, identity_, {{"T", n.output_types[0]}}));
    past->inputs.assign(1, n.inputs[0]);
    past->requested_device = n.requested_device;
    past->device = n.device;
    for (int c : n.control_inputs) graph_.add_control_input(past->id, c);
    for (int c : graph_.node(n.inputs[1].node).control_inputs) graph_.add_control_input(past->id, c);
    return past->id;
  }

  /// Merges of which somebody asks which input came.
  void note_second_outputs() {
    for (int i = 0; i < graph_.num_ids(); ++i) {
      for (Endpoint e : graph_.node(i).inputs) {
        if (e.slot > 0) asked_which_.insert(e.node);
      }
    }
  }

  absl::Status visit(Node& n, int64_t* taken) {
    auto dead_node = [this](int c) { return dead_nodes_.contains(c); };
    const bool waits_for_dead = std::any_of(n.control_inputs.begin(), n.control_inputs.end(), dead_node);
    const auto dead =
        std::count_if(n.inputs.begin(), n.inputs.end(), [this](Endpoint e) { return is_dead(e); });
    if (!n.is("Merge")) {
      if (dead > 0 || (waits_for_dead && !n.is("ControlTrigger"))) dead_nodes_.insert(n.id);
      return absl::OkStatus();
    }
    const auto rounds = std::count_if(n.inputs.begin(), n.inputs.end(),
                                      [&](Endpoint e) { return is_back_edge(graph_.node(e.node), n); });
    // Nothing comes round when nothing goes in.
    if (dead + rounds == n.num_inputs()) dead_nodes_.insert(n.id);
    if (rounds > 0) return absl::OkStatus();
    if (dead != n.num_inputs() - 1 || waits_for_dead || asked_which_.contains(n.id) ||
        !may_replace(graph_, n, consider_))
      return absl::OkStatus();
    const AttrMap attrs{{"T", n.output_types[0]}};
    if (!has_kernel(devices_, n, *identity_, attrs)) return absl::OkStatus();
    const Endpoint alive =
        *std::find_if_not(n.inputs.begin(), n.inputs.end(), [this](Endpoint e) { return is_dead(e); });
    ++*taken;
    return become(&n, identity_, attrs, {alive});
  }
  bool is_dead(Endpoint e) const { return dead_.contains(e) || dead_nodes_.contains(e.node); }

  const DeviceCatalog& devices_;
  Graph& graph_;
  const NodeFilter& consider_;
  const OpDef* const identity_;
  absl::flat_hash_set<Endpoint> dead_;
  absl::flat_hash_set<int> dead_nodes_;
  absl::flat_hash_set<int> asked_which_;
};

}  // namespace

absl::StatusOr<PassStats> take_known_branches(const DeviceCatalog& devices, Draft* draft,
                                              const NodeFilter& consider) {
  return BranchTaker(devices, draft, consider).run();
}

}  // namespace troupe
