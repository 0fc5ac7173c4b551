#include "graph/passes/fuse_elementwise.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "graph/ir/algorithm.h"

namespace troupe {
namespace {

bool is_elementwise(const Node& n) {
  static const auto* kOps = new absl::flat_hash_set<absl::string_view>{
      // Of two operands.
      "Add", "AddV2", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum", "SquaredDifference", "MulNoNan",
      "DivNoNan",
      // Gradients: of one shape.
      "SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "ReluGrad",
      "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad",
      // Of one.
      "Abs", "Neg", "Sign", "Square", "Reciprocal", "Inv", "Sqrt", "Rsqrt", "Exp", "Expm1", "Log", "Log1p",
      "Sigmoid", "Tanh", "Erf", "Floor", "Ceil", "Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign"};
  return n.num_outputs() == 1 && (n.num_inputs() == 1 || n.num_inputs() == 2) && kOps->contains(n.op->name) &&
         (n.output_types[0] == DataType::kFloat || n.output_types[0] == DataType::kDouble);
}

class Fuser {
 public:
  Fuser(const DeviceCatalog& devices, Draft* draft, const NodeFilter& consider)
      : devices_(devices), graph_(draft->graph), uses_(*draft), consider_(consider),
        op_(graph_.ops().find("_FusedElementwise")) {}

  absl::StatusOr<PassStats> run() {
    PassStats stats("fuse_elementwise", graph_);
    TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(graph_));
    // The last of a tree comes before those that it takes in.
    for (auto id = order.rbegin(); op_ != nullptr && id != order.rend(); ++id) {
      const Node& n = graph_.node(*id);
      if (!n.removed() && fits(n)) TROUPE_RETURN_IF_ERROR(fuse(*id));
    }
    return stats.count("fused", fused_).done(graph_);
  }

 private:
  bool fits(const Node& n) const { return is_elementwise(n) && may_replace(graph_, n, consider_); }

  /// The nodes that become one with `root`, each right behind those that it alone takes, so that few results wait at a time; `root`
  /// is the last.
  std::vector<int> tree_of(int root) const {
    std::vector<int> members{root};
    const DataType type = graph_.node(root).output_types[0];
    for (size_t next = 0; next < members.size(); ++next) {
      const Node& user = graph_.node(members[next]);
      for (Endpoint e : user.inputs) {
        if (static_cast<int>(members.size()) == kMostFusedSteps) break;
        const Node& n = graph_.node(e.node);
        if (uses_.consumer_of(n.id) != user.id || n.device != user.device || !fits(n)) continue;
        if (n.output_types[0] == type && !is_member(members, n.id)) members.push_back(n.id);
      }
    }
    std::vector<int> ordered;
    add_behind_operands(members, root, &ordered);
    return ordered;
  }
  void add_behind_operands(const std::vector<int>& members, int id, std::vector<int>* ordered) const {
    for (Endpoint e : graph_.node(id).inputs) {
      if (is_member(members, e.node) && !is_member(*ordered, e.node))
        add_behind_operands(members, e.node, ordered);
    }
    ordered->push_back(id);
  }
  static bool is_member(const std::vector<int>& members, int id) {
    return std::find(members.begin(), members.end(), id) != members.end();
  }

  absl::Status fuse(int id) {
    std::vector<int> members = tree_of(id);
    if (members.size() < 2) return absl::OkStatus();
    std::vector<Endpoint> inputs;
    std::vector<std::string> ops, names;
    for (int member : members) {
      const Node& n = graph_.node(member);
      ops.push_back(n.op->name);
      names.push_back(n.name);
      for (Endpoint e : n.inputs) {
        if (!is_member(members, e.node) && std::find(inputs.begin(), inputs.end(), e) == inputs.end())
          inputs.push_back(e);
      }
    }
    AttrMap attrs{{"T", graph_.node(id).output_types[0]},
                  {"N", static_cast<int64_t>(inputs.size())},
                  {"ops", std::move(ops)},
                  {"names", std::move(names)},
                  {"operands", operands_of(members, inputs)}};
    Node& last = graph_.node(id);
    if (!has_kernel(devices_, last, *op_, attrs)) return absl::OkStatus();
    TROUPE_RETURN_IF_ERROR(become(&last, op_, std::move(attrs), inputs));
    members.pop_back();
    absorb(&graph_, id, members);
    ++fused_;
    return absl::OkStatus();
  }

  /// Two numbers a step, see the op: inputs first, then the results of steps; -1 where there is no second operand.
  std::vector<int64_t> operands_of(const std::vector<int>& members,
                                   const std::vector<Endpoint>& inputs) const {
    std::vector<int64_t> out;
    for (int member : members) {
      const Node& n = graph_.node(member);
      for (size_t i = 0; i < 2; ++i) {
        if (i >= n.inputs.size()) {
          out.push_back(-1);
        } else if (auto step = std::find(members.begin(), members.end(), n.inputs[i].node);
                   step != members.end()) {
          out.push_back(static_cast<int64_t>(inputs.size()) + (step - members.begin()));
        } else {
          out.push_back(std::find(inputs.begin(), inputs.end(), n.inputs[i]) - inputs.begin());
        }
      }
    }
    return out;
  }

  const DeviceCatalog& devices_;
  Graph& graph_;
  const SingleUse uses_;
  const NodeFilter& consider_;
  const OpDef* const op_;
  int64_t fused_ = 0;
};

}  // namespace

absl::StatusOr<PassStats> fuse_elementwise(const DeviceCatalog& devices, Draft* draft,
                                           const NodeFilter& consider) {
  return Fuser(devices, draft, consider).run();
}

}  // namespace troupe
