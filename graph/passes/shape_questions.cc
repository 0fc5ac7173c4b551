#include "graph/passes/shape_questions.h"

#include <algorithm>
#include <limits>

#include "graph/ir/algorithm.h"
#include "graph/passes/pass.h"

namespace troupe {
namespace {

bool is_handle(DataType t) { return is_ref(t) || t == DataType::kResource || t == DataType::kVariant; }

/// Whether the shapes that the op's function infers are those that its kernel makes, whatever has happened before.
bool can_be_believed(const Graph& graph, const Node& n) {
  if (n.op->is_stateful || !n.op->shape_fn || graph.ops().find(n.op->name) != n.op) return false;
  return !takes_functions(*n.op) && std::none_of(n.input_types.begin(), n.input_types.end(), is_handle);
}

/// Nothing when a number does not fit.
std::optional<Tensor> integers(DataType type, const Shape& shape, const std::vector<int64_t>& values) {
  if (type == DataType::kInt64) return Tensor::from<int64_t>(shape, values);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (type != DataType::kInt32) return std::nullopt;
  if (std::any_of(values.begin(), values.end(), [](int64_t v) { return v > kMost; })) return std::nullopt;
  return Tensor::from<int32_t>(shape, std::vector<int32_t>(values.begin(), values.end()));
}

/// What one output of a question about a tensor of this shape is.
std::optional<Tensor> answer_about(const Node& question, int output, const PartialShape& shape) {
  const DataType type = question.output_types[output];
  if (question.is("Rank")) {
    if (!shape.known_rank()) return std::nullopt;
    return integers(type, Shape{}, {shape.rank()});
  }
  const auto full = shape.to_shape();
  if (!full) return std::nullopt;
  if (question.is("Size")) return integers(type, Shape{}, {full->num_elements()});
  return integers(type, Shape{full->rank()}, {full->dims().begin(), full->dims().end()});
}

}  // namespace

bool ShapeQuestions::is_question(const Node& node) {
  return node.is("Shape") || node.is("ShapeN") || node.is("Size") || node.is("Rank");
}

std::optional<std::vector<Tensor>> ShapeQuestions::answer(const Node& question) {
  std::vector<Tensor> answers;
  for (int i = 0; i < question.num_outputs(); ++i) {
    infer(question.inputs[i].node);
    auto one = answer_about(question, i, shapes_.shape(question.inputs[i]));
    if (!one) return std::nullopt;
    answers.push_back(*std::move(one));
  }
  return answers;
}

void ShapeQuestions::infer(int wanted) {
  struct Visit {
    int node;
    /// Its inputs are known, as far as they can be.
    bool ready;
  };
  std::vector<Visit> stack{{wanted, false}};
  int left = kMaxNodes;
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    const Node& n = graph_.node(visit.node);
    if (shapes_.added(n.id)) continue;
    if (visit.ready) {
      // A node that cannot be is for its step to report: nothing is known of it.
      shapes_.add(n).IgnoreError();
      continue;
    }
    if (--left < 0 || !n.defect.ok() || !can_be_believed(graph_, n)) continue;
    stack.push_back({n.id, true});
    for (Endpoint e : n.inputs) {
      if (!is_back_edge(graph_.node(e.node), n)) stack.push_back({e.node, false});
    }
  }
}

}  // namespace troupe
