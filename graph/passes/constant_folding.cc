#include "graph/passes/constant_folding.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/ir/algorithm.h"
#include "graph/ops/shape_context.h"
#include "graph/passes/shape_questions.h"

namespace troupe {
namespace {

class Folder {
 public:
  Folder(const Evaluator& evaluator, int64_t max_bytes, Draft* draft, const NodeFilter& consider)
      : evaluator_(evaluator), max_bytes_(max_bytes), graph_(draft->graph), consider_(consider),
        const_op_(graph_.ops().find("Const")) {}

  absl::StatusOr<PassStats> run() {
    PassStats stats("constant_folding", graph_);
    TROUPE_ASSIGN_OR_RETURN(std::vector<int> order, topological_order(graph_));
    for (int id : order) {
      Node& n = graph_.node(id);
      for (Endpoint& e : n.inputs) e = moved_.resolve(e);
      if (can_fold(n)) {
        TROUPE_RETURN_IF_ERROR(fold(n));
      } else if (ShapeQuestions::is_question(n)) {
        TROUPE_RETURN_IF_ERROR(answer(n));
      }
    }
    // Back edges and nodes that come before in no order.
    moved_.apply(&graph_);
    return stats.count("folded", folded_).done(graph_);
  }

 private:
  bool is_considered(const Node& n) const { return n.defect.ok() && (!consider_ || consider_(n)); }

  bool can_fold(const Node& n) const {
    // Of what needs no input all but a file that is mapped is a constant already, or no constant.
    if (n.inputs.empty() && !n.is("ImmutableConst")) return false;
    if (n.output_types.empty() || n.op->is_stateful || is_control_flow(*n.op)) return false;
    for (DataType t : n.output_types) {
      if (is_ref(t) || t == DataType::kResource || t == DataType::kVariant) return false;
    }
    for (Endpoint e : n.inputs) {
      if (const_value(graph_.node(e.node)) == nullptr) return false;
    }
    return is_considered(n) && !makes_much(n) && graph_.ops().find(n.op->name) == n.op &&
           evaluator_.can_evaluate(n);
  }

  /// Whether the shapes of the outputs, as far as they can be told before the node runs, say that it makes too much. Its
  /// kernel is not even tried then.
  bool makes_much(const Node& n) const {
    if (!n.op->shape_fn) return false;
    std::vector<Known> known(n.inputs.size()), outputs(n.output_types.size());
    std::vector<const Known*> inputs;
    for (size_t i = 0; i < known.size(); ++i) {
      const Tensor& value = *const_value(graph_.node(n.inputs[i].node));
      known[i] = {value.shape(), value, known_ints(value), nullptr};
      inputs.push_back(&known[i]);
    }
    ShapeContext context(n.op, &n.attrs, inputs, outputs);
    context.set_producer(graph_.versions().producer);
    // What is wrong with it the step will say.
    if (!n.op->shape_fn(context).ok()) return true;
    double bytes = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].shape.fully_defined()) continue;
      double elements = 1;
      for (int64_t d : outputs[i].shape.dims()) elements *= static_cast<double>(d);
      bytes += elements * element_bytes(n, n.output_types[i]);
    }
    return bytes > static_cast<double>(max_bytes_);
  }

  /// Of a string: as long as the longest of each input together.
  double element_bytes(const Node& n, DataType type) const {
    double bytes = static_cast<double>(dtype_size(type));
    if (type != DataType::kString) return bytes;
    for (Endpoint e : n.inputs) {
      const Tensor& value = *const_value(graph_.node(e.node));
      if (value.dtype() != DataType::kString) continue;
      size_t longest = 0;
      for (const TString& s : value.flat<TString>()) longest = std::max(longest, s.view().size());
      bytes += static_cast<double>(longest);
    }
    return bytes;
  }

  absl::Status fold(Node& n) {
    std::vector<Tensor> inputs;
    for (Endpoint e : n.inputs) inputs.push_back(*const_value(graph_.node(e.node)));
    auto values = evaluator_.evaluate(n, inputs, graph_.versions().producer);
    // What fails here fails in the step too, with the step's words.
    if (!values.ok() || values->size() != n.output_types.size()) return absl::OkStatus();
    for (size_t i = 0; i < values->size(); ++i) {
      const Tensor& v = (*values)[i];
      if (v.dtype() != n.output_types[i] || static_cast<int64_t>(v.bytes()) > max_bytes_)
        return absl::OkStatus();
    }
    return replace(n, *std::move(values));
  }

  /// What is asked about the shape of a tensor need not wait for its value, but for the node that makes it: only where that
  /// is alive there is an answer. Of a Switch a control edge does not tell which side is.
  absl::Status answer(Node& n) {
    auto from_switch = [&](Endpoint e) { return is_switch(*graph_.node(e.node).op); };
    if (!is_considered(n) || std::any_of(n.inputs.begin(), n.inputs.end(), from_switch))
      return absl::OkStatus();
    if (!shapes_) shapes_.emplace(graph_);
    auto answers = shapes_->answer(n);
    return answers ? replace(n, *std::move(answers)) : absl::OkStatus();
  }

  /// Puts constants in the place of a node; they wait for what it waited for.
  absl::Status replace(Node& n, std::vector<Tensor> values) {
    absl::InlinedVector<int, 1>& controls = n.control_inputs;
    auto wait_for = [&](int id) {
      if (std::find(controls.begin(), controls.end(), id) == controls.end()) controls.push_back(id);
    };
    for (Endpoint e : n.inputs) {
      const Node& source = graph_.node(e.node);
      if (const_value(source) == nullptr) {
        wait_for(source.id);
      } else {
        for (int c : source.control_inputs) wait_for(c);
      }
    }
    ++folded_;
    if (values.size() == 1) {
      make_const(&n, const_op_, std::move(values[0]));
      return absl::OkStatus();
    }
    for (size_t i = 0; i < values.size(); ++i) {
      AttrMap attrs{{"dtype", n.output_types[i]}, {"value", std::move(values[i])}};
      TROUPE_ASSIGN_OR_RETURN(Node * value,
                              graph_.add_node(graph_.unique_name(absl::StrCat(n.name, "/output_", i)),
                                              const_op_, std::move(attrs)));
      value->requested_device = n.requested_device;
      value->device = n.device;
      value->control_inputs.assign(controls.begin(), controls.end());
      moved_.set({n.id, static_cast<int>(i)}, {value->id, 0});
    }
    return absl::OkStatus();
  }

  const Evaluator& evaluator_;
  const int64_t max_bytes_;
  Graph& graph_;
  const NodeFilter& consider_;
  const OpDef* const_op_;
  /// Made for the first question.
  std::optional<ShapeQuestions> shapes_;
  EndpointMap moved_;
  int64_t folded_ = 0;
};

}  // namespace

absl::StatusOr<PassStats> fold_constants(const Evaluator& evaluator, int64_t max_bytes, Draft* draft,
                                         const NodeFilter& consider) {
  return Folder(evaluator, max_bytes, draft, consider).run();
}

}  // namespace troupe
