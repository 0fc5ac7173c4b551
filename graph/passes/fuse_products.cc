#include "graph/passes/fuse_products.h"

#include <algorithm>
#include <optional>

#include "graph/ir/algorithm.h"

namespace troupe {
namespace {

/// The fused form of a product's op; null when it has none.
const char* fused_op(const Node& n) {
  if (n.is("MatMul")) return "_FusedMatMul";
  if (n.is("Conv2D")) return "_FusedConv2D";
  // Its fused form knows no explicit padding.
  if (n.is("DepthwiseConv2dNative") && n.attrs.get_or<std::string>("padding", "") != "EXPLICIT")
    return "_FusedDepthwiseConv2dNative";
  return nullptr;
}

bool is_activation(const Node& n) {
  for (const char* op : {"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid"}) {
    if (n.is(op)) return true;
  }
  return false;
}

bool channels_are_last(const Node& n) { return n.attrs.get_or<std::string>("data_format", "NHWC") == "NHWC"; }

/// A node and those behind it that it is to be one with.
struct Chain {
  std::vector<int> members;
  std::vector<Endpoint> args;
  std::vector<std::string> fused_ops;
  AttrMap attrs;
};

class Fuser {
 public:
  Fuser(const DeviceCatalog& devices, Draft* draft, const NodeFilter& consider)
      : devices_(devices), graph_(draft->graph), uses_(*draft), consider_(consider) {}

  absl::StatusOr<PassStats> run() {
    PassStats stats("fuse_products", graph_);
    TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(graph_));
    for (int id : order) {
      const Node& n = graph_.node(id);
      if (n.removed() || fused_op(n) == nullptr || !fits(n, n.device) || !channels_are_last(n)) continue;
      TROUPE_RETURN_IF_ERROR(fuse(n));
    }
    return stats.count("fused", fused_).done(graph_);
  }

 private:
  bool fits(const Node& n, int device) const {
    return may_replace(graph_, n, consider_) && n.device == device && !n.output_types.empty() &&
           n.output_types[0] == DataType::kFloat;
  }

  absl::Status fuse(const Node& product) {
    Chain chain{{product.id}, {product.inputs[0], product.inputs[1]}, {}, {}};
    if (!add_vectors(&chain)) return absl::OkStatus();
    add_summand(&chain);
    add_activation(&chain);
    const OpDef* op = graph_.ops().find(fused_op(product));
    if (op == nullptr) return absl::OkStatus();
    for (const auto& [name, value] : product.attrs) {
      if (op->find_attr(name) != nullptr) chain.attrs.set(name, value);
    }
    const size_t num_args = chain.args.size() - 2;
    chain.attrs.set("num_args", static_cast<int64_t>(num_args));
    if (op->find_attr("TArgs") != nullptr)
      chain.attrs.set("TArgs", std::vector<DataType>(num_args, DataType::kFloat));
    chain.attrs.set("fused_ops", chain.fused_ops);
    if (!has_kernel(devices_, product, *op, chain.attrs)) return absl::OkStatus();
    return join(op, std::move(chain));
  }

  /// The last member of the chain becomes all of them.
  absl::Status join(const OpDef* op, Chain chain) {
    Node& last = graph_.node(chain.members.back());
    chain.members.pop_back();
    TROUPE_RETURN_IF_ERROR(become(&last, op, std::move(chain.attrs), chain.args));
    absorb(&graph_, last.id, chain.members);
    ++fused_;
    return absl::OkStatus();
  }

  /// The node that comes next in a chain: the only one to use the last member.
  const Node* next(const Chain& chain) const {
    const Node& last = graph_.node(chain.members.back());
    const int user = uses_.consumer_of(last.id);
    if (user < 0 || graph_.node(user).removed()) return nullptr;
    const Node& n = graph_.node(user);
    return fits(n, last.device) ? &n : nullptr;
  }

  /// What a sum adds to the last member of a chain; nothing when that is both of its operands.
  std::optional<Endpoint> other_operand(const Chain& chain, const Node& sum) const {
    const int last = chain.members.back();
    const bool first = sum.inputs[0].node == last, second = sum.inputs[1].node == last;
    if (first == second) return std::nullopt;
    return sum.inputs[first ? 1 : 0];
  }

  /// The bias or normalisation with which a chain begins.
  bool add_vectors(Chain* chain) const {
    const Node* n = next(*chain);
    if (n == nullptr) return false;
    const bool follows = n->inputs[0].node == chain->members.back();
    if (n->is("BiasAdd") && channels_are_last(*n) && follows) {
      chain->args.push_back(n->inputs[1]);
      chain->fused_ops.push_back("BiasAdd");
    } else if (is_sum(*n)) {
      const auto other = other_operand(*chain, *n);
      if (!other || declared_rank(*other) != 1) return false;
      chain->args.push_back(*other);
      chain->fused_ops.push_back("BiasAdd");
      chain->attrs.set("_bias_broadcasts", true);
    } else if (is_normalisation(*n) && follows) {
      chain->args.insert(chain->args.end(), n->inputs.begin() + 1, n->inputs.begin() + 5);
      chain->fused_ops.push_back("FusedBatchNorm");
      chain->attrs.set("epsilon", n->attrs.get_or<float>("epsilon", 1e-4f));
    } else {
      return false;
    }
    chain->members.push_back(n->id);
    return true;
  }

  bool is_normalisation(const Node& n) const {
    if (!n.is("FusedBatchNorm") && !n.is("FusedBatchNormV2") && !n.is("FusedBatchNormV3")) return false;
    auto of_float = [](DataType t) { return t == DataType::kFloat; };
    // Gradients, say, take the moments, too.
    if (uses_.has_further_outputs(n.id)) return false;
    return !n.attrs.get_or("is_training", true) && channels_are_last(n) &&
           std::all_of(n.input_types.begin(), n.input_types.end(), of_float);
  }

  void add_summand(Chain* chain) const {
    const Node* n = next(*chain);
    if (n == nullptr || !is_sum(*n)) return;
    const auto other = other_operand(*chain, *n);
    if (!other) return;
    // What is no tensor like the result would not be added in place.
    const int rank = declared_rank(*other);
    if (rank == 0 || rank == 1) return;
    chain->args.push_back(*other);
    chain->fused_ops.push_back("Add");
    chain->members.push_back(n->id);
  }

  void add_activation(Chain* chain) const {
    const Node* n = next(*chain);
    if (n == nullptr || !is_activation(*n)) return;
    if (n->is("LeakyRelu")) chain->attrs.set("leakyrelu_alpha", n->attrs.get_or<float>("alpha", 0.2f));
    chain->fused_ops.push_back(n->op->name);
    chain->members.push_back(n->id);
  }

  /// The rank of a constant, or that which a variable was declared with. -1: not known. Something else may have been assigned to the
  /// variable: only what is faster may depend on it.
  int declared_rank(Endpoint e) const {
    for (int steps = 0; steps < 8; ++steps) {
      const Node& n = graph_.node(e.node);
      if (!n.defect.ok()) return -1;
      if (const Tensor* value = const_value(n)) return value->rank();
      if (n.is("VarHandleOp") || n.is("VariableV2") || n.is("Variable"))
        return n.attrs.get_or<PartialShape>("shape", {}).rank();
      if (!n.is("Identity") && !n.is("ReadVariableOp") && !n.is("Enter")) return -1;
      e = n.inputs[0];
    }
    return -1;
  }

  const DeviceCatalog& devices_;
  Graph& graph_;
  const SingleUse uses_;
  const NodeFilter& consider_;
  int64_t fused_ = 0;
};

}  // namespace

absl::StatusOr<PassStats> fuse_products(const DeviceCatalog& devices, Draft* draft,
                                        const NodeFilter& consider) {
  return Fuser(devices, draft, consider).run();
}

}  // namespace troupe
