#include "graph/passes/rewrite_arithmetic.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>

#include "graph/ir/algorithm.h"
#include "graph/ir/in_place.h"

namespace troupe {
namespace {

template <class T>
double as_double(const Tensor& t) {
  return static_cast<double>(t.value<T>());
}

/// The number that a constant of rank 0 is; nothing for complex numbers, texts and all that has a shape.
std::optional<double> scalar_number(const Node& n) {
  const Tensor* t = const_value(n);
  if (t == nullptr || t->rank() != 0) return std::nullopt;
  switch (t->dtype()) {
    case DataType::kFloat: return as_double<float>(*t);
    case DataType::kDouble: return as_double<double>(*t);
    case DataType::kHalf: return as_double<Eigen::half>(*t);
    case DataType::kBfloat16: return as_double<Eigen::bfloat16>(*t);
    case DataType::kInt8: return as_double<int8_t>(*t);
    case DataType::kUint8: return as_double<uint8_t>(*t);
    case DataType::kInt16: return as_double<int16_t>(*t);
    case DataType::kUint16: return as_double<uint16_t>(*t);
    case DataType::kInt32: return as_double<int32_t>(*t);
    case DataType::kUint32: return as_double<uint32_t>(*t);
    case DataType::kInt64: return as_double<int64_t>(*t);
    case DataType::kUint64: return as_double<uint64_t>(*t);
    default: return std::nullopt;
  }
}

template <class T>
std::vector<int64_t> numbers(const Tensor& t) {
  auto values = t.flat<T>();
  return {values.begin(), values.end()};
}

/// What a constant permutation is; nothing when it is none, or not constant.
std::optional<std::vector<int64_t>> permutation(const Node& n) {
  const Tensor* t = const_value(n);
  if (t == nullptr || t->rank() != 1) return std::nullopt;
  std::vector<int64_t> out;
  if (t->dtype() == DataType::kInt32) out = numbers<int32_t>(*t);
  if (t->dtype() == DataType::kInt64) out = numbers<int64_t>(*t);
  std::vector<int64_t> sorted = out;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return std::nullopt;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

/// Ops that undo themselves.
bool is_involution(const Node& n) {
  if (n.is("Conj"))
    return n.output_types[0] == DataType::kComplex64 || n.output_types[0] == DataType::kComplex128;
  return n.is("Neg") || n.is("Invert") || n.is("LogicalNot");
}

class Rewriter {
 public:
  Rewriter(const DeviceCatalog& devices, Draft* draft, const NodeFilter& consider)
      : devices_(devices), graph_(draft->graph), consider_(consider) {}

  absl::StatusOr<PassStats> run() {
    PassStats stats("rewrite_arithmetic", graph_);
    TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(graph_));
    // What would be handed on instead of computed must not be written to.
    auto in_place = [this](int id) { return writes_to_input(graph_.node(id)); };
    if (std::none_of(order.begin(), order.end(), in_place)) {
      for (int id : order) TROUPE_RETURN_IF_ERROR(rewrite(graph_.node(id)));
    }
    return stats.count("rewritten", rewritten_).done(graph_);
  }

 private:
  /// What takes the place of a node.
  struct Instead {
    /// "Identity", or another op of the same type.
    const char* op;
    std::vector<Endpoint> inputs;
    /// Nodes that are not asked any more; what they waited for is waited for.
    std::vector<int> skipped;
  };

  absl::Status rewrite(Node& n) {
    if (n.inputs.empty() || n.output_types.size() != 1 || !n.defect.ok()) return absl::OkStatus();
    for (auto rule :
         {&Rewriter::neutral, &Rewriter::same_type, &Rewriter::sum_of_one, &Rewriter::twice,
          &Rewriter::transposed, &Rewriter::reshaped, &Rewriter::negated_operand, &Rewriter::named_power}) {
      std::optional<Instead> instead = (this->*rule)(n);
      if (instead) return may_replace(graph_, n, consider_) ? put(n, *instead) : absl::OkStatus();
    }
    return absl::OkStatus();
  }

  absl::Status put(Node& n, const Instead& instead) {
    const OpDef* op = graph_.ops().find(instead.op);
    AttrMap attrs{{"T", n.output_types[0]}};
    if (n.is(instead.op)) attrs = n.attrs;
    if (op == nullptr || !has_kernel(devices_, n, *op, attrs)) return absl::OkStatus();
    TROUPE_RETURN_IF_ERROR(become(&n, op, std::move(attrs), instead.inputs));
    take_over_waits(&graph_, n.id, instead.skipped);
    ++rewritten_;
    return absl::OkStatus();
  }

  /// Where a value comes from, past a few nodes that are Identities, or have become some.
  Endpoint source(Endpoint e) const {
    constexpr int kMostSteps = 16;
    for (int steps = 0; steps < kMostSteps; ++steps) {
      const Node& n = graph_.node(e.node);
      if (!n.is("Identity") || !n.defect.ok() || !n.control_inputs.empty() ||
          is_ref(graph_.type_of(n.inputs[0])))
        break;
      e = n.inputs[0];
    }
    return e;
  }

  /// The node that makes input `i`, if a rule may look behind it.
  const Node* before(const Node& n, int i) const {
    const Node& from = graph_.node(source(n.inputs[i]).node);
    return from.device == n.device && !from.inputs.empty() && may_replace(graph_, from, consider_) ? &from
                                                                                                   : nullptr;
  }
  std::optional<double> number(const Node& n, int i) const {
    return scalar_number(graph_.node(n.inputs[i].node));
  }
  /// Input `i` of a node handed on, without asking input `other`.
  static Instead only(const Node& n, int i, int other) {
    return {"Identity", {n.inputs[i]}, {n.inputs[other].node}};
  }

  std::optional<Instead> neutral(const Node& n) const {
    const bool sum = is_sum(n), product = n.is("Mul");
    const bool quotient = n.is("RealDiv") || n.is("Div");
    if (!sum && !product && !quotient && !n.is("Sub")) return std::nullopt;
    auto changes_nothing = [&](int i) {
      const std::optional<double> c = number(n, i);
      if (product || quotient) return c == 1;
      // To a minus zero only minus zero can be added, and only zero taken from it.
      return c == 0 && (!is_floating(n.output_types[0]) || std::signbit(*c) == sum);
    };
    if (changes_nothing(1)) return only(n, 0, 1);
    if ((sum || product) && changes_nothing(0)) return only(n, 1, 0);
    return std::nullopt;
  }

  std::optional<Instead> same_type(const Node& n) const {
    if (!n.is("Cast") || n.input_types[0] != n.output_types[0]) return std::nullopt;
    return Instead{"Identity", {n.inputs[0]}, {}};
  }

  std::optional<Instead> sum_of_one(const Node& n) const {
    if (!n.is("AddN") || n.num_inputs() != 1 || n.input_types[0] == DataType::kVariant) return std::nullopt;
    return Instead{"Identity", {n.inputs[0]}, {}};
  }

  std::optional<Instead> twice(const Node& n) const {
    if (!is_involution(n)) return std::nullopt;
    const Node* inner = before(n, 0);
    if (inner == nullptr || inner->op != n.op) return std::nullopt;
    return Instead{"Identity", {inner->inputs[0]}, {inner->id}};
  }

  std::optional<Instead> transposed(const Node& n) const {
    if (!n.is("Transpose")) return std::nullopt;
    const Node& moves = graph_.node(n.inputs[1].node);
    const auto outer = permutation(moves);
    if (!outer) return std::nullopt;
    if (std::is_sorted(outer->begin(), outer->end())) return only(n, 0, 1);
    const Node* inner = before(n, 0);
    if (inner == nullptr || !inner->is("Transpose")) return std::nullopt;
    const Node& inner_moves = graph_.node(inner->inputs[1].node);
    const auto first = permutation(inner_moves);
    if (!first || first->size() != outer->size()) return std::nullopt;
    for (size_t i = 0; i < outer->size(); ++i) {
      if ((*first)[static_cast<size_t>((*outer)[i])] != static_cast<int64_t>(i)) return std::nullopt;
    }
    return Instead{"Identity", {inner->inputs[0]}, {inner->id, moves.id, inner_moves.id}};
  }

  /// The shape that is asked for last is what counts.
  std::optional<Instead> reshaped(const Node& n) const {
    if (!n.is("Reshape")) return std::nullopt;
    const Node* inner = before(n, 0);
    if (inner == nullptr || !inner->is("Reshape")) return std::nullopt;
    const Node& shape = graph_.node(inner->inputs[1].node);
    if (const_value(shape) == nullptr) return std::nullopt;
    return Instead{"Reshape", {inner->inputs[0], n.inputs[1]}, {inner->id, shape.id}};
  }

  /// x + (-y) and x - (-y): to the bit what the other of the two makes of y.
  std::optional<Instead> negated_operand(const Node& n) const {
    const bool sum = is_sum(n);
    if (!sum && !n.is("Sub")) return std::nullopt;
    const Node* negated = before(n, 1);
    if (negated == nullptr || !negated->is("Neg")) return std::nullopt;
    return Instead{sum ? "Sub" : "AddV2", {n.inputs[0], negated->inputs[0]}, {negated->id}};
  }

  std::optional<Instead> named_power(const Node& n) const {
    if (!n.is("Pow")) return std::nullopt;
    const auto power = number(n, 1);
    if (power == 1) return only(n, 0, 1);
    const char* name = nullptr;
    if (power == 2) name = "Square";
    if (is_floating(n.output_types[0])) {
      if (power == 0.5) name = "Sqrt";
      if (power == -0.5) name = "Rsqrt";
      if (power == -1) name = "Reciprocal";
    }
    if (name == nullptr) return std::nullopt;
    return Instead{name, {n.inputs[0]}, {n.inputs[1].node}};
  }

  const DeviceCatalog& devices_;
  Graph& graph_;
  const NodeFilter& consider_;
  int64_t rewritten_ = 0;
};

}  // namespace

absl::StatusOr<PassStats> rewrite_arithmetic(const DeviceCatalog& devices, Draft* draft,
                                             const NodeFilter& consider) {
  return Rewriter(devices, draft, consider).run();
}

}  // namespace troupe
