#pragma once

#include <vector>

#include "graph/ops/shape_context.h"
#include "graph/passes/evaluator.h"
#include "graph/passes/function_body.h"

namespace troupe {

/// What is known of the outputs of a graph's nodes before anything runs: partial shapes, small integer values, what is
/// behind handles. Grows with the graph: nodes are added one at a time, after their inputs; an input that was not added
/// (the edge that closes a loop) counts as unknown. Cheap: a node costs what its shape function costs, a call of a function
/// what its body costs, up to a limit for all calls together.
/// Not thread-safe. The graph and the evaluator must outlive it; node ids must not change meanwhile.
class ShapeInference {
 public:
  /// `evaluator` runs the nodes whose values shape functions ask for, where they depend on constants alone; without one,
  /// only integers that shape functions follow by themselves are known.
  explicit ShapeInference(const Graph* graph, const Evaluator* evaluator = nullptr)
      : graph_(graph), evaluator_(evaluator) {}

  /// Infers a node again or for the first time. The error is TensorFlow's: "Shape must be rank 2 but is rank 1 for '{{node
  /// y}} = MatMul[...](x, w)' with input shapes: [2], [2,3]."; the node's outputs are unknown then. `refined`, if given,
  /// is true when more is known than before.
  absl::Status add(const Node& node, bool* refined = nullptr);
  /// Adds all nodes from `first_id` on, producers first; nodes that fail have unknown outputs.
  void add_all(int first_id = 0);
  /// The same, up to the first error, as an import that checks shapes does: "_output_shapes" attrs must fit too, and refine
  /// what is known. InvalidArgument.
  absl::Status add_imported(int first_id = 0);

  /// What is known; nothing for outputs that do not exist or whose node was not added.
  const Known& known(Endpoint e) const;
  const PartialShape& shape(Endpoint e) const { return known(e).shape; }
  bool added(int node) const {
    return node >= 0 && node < static_cast<int>(outputs_.size()) && outputs_[node].added;
  }

  /// Merges what the caller knows better into what is inferred. InvalidArgument "Dimension 0 in both shapes must be equal, but
  /// are 2 and 3. Shapes are [2] and [3].", or when there is no such output. Nodes that were inferred from it stay as
  /// they are until they are added again.
  absl::Status set_shape(Endpoint e, const PartialShape& shape);
  absl::Status set_handle(Endpoint e, HandleShapes shapes);

  /// Forgets the nodes from `num_ids` on, as Graph::truncate does.
  void truncate(int num_ids);

  /// The value of an output that depends on no input of the graph: what is known, or what running the nodes before it gives.
  /// Not initialised when there is none, when a node cannot be run here, or fails, when more than `max_nodes` would have to
  /// run or one would make more than `max_elements`.
  Tensor constant_value(Endpoint e, int max_nodes, int64_t max_elements) const;

 private:
  /// What may be run for one shape function.
  static constexpr int kMaxEvaluatedNodes = 1000;

  /// Nodes of function bodies that are looked at, so that calls inside calls inside calls end.
  static constexpr int64_t kMaxBodyNodes = 200'000;
  static constexpr int kMaxCallDepth = 16;

  struct NodeOutputs {
    bool added = false;
    std::vector<Known> known;
    /// What set_shape said, by output; kept when the node is added again.
    std::vector<std::pair<int, PartialShape>> pinned;
  };

  /// The function that a node calls, if it does nothing else; null otherwise.
  std::shared_ptr<const FunctionBody> called_body(absl::string_view op, bool has_shape_fn,
                                                  const AttrMap& attrs);
  /// The error of the first node of the body whose inputs cannot be, as TensorFlow words it.
  absl::Status infer_call(const FunctionBody& body, std::span<const Known* const> args, int depth,
                          std::vector<Known>* outputs);

  NodeOutputs& outputs_of(int node);
  absl::Status infer(const Node& node, std::vector<Known>* outputs);
  Tensor value_at(Endpoint e) const;
  bool may_evaluate(const Node& node, int64_t max_elements) const;
  bool evaluate_asked(const Node& node, ShapeContext::Values asked);
  absl::Status check_output_shapes(const Node& node);
  absl::StatusOr<std::vector<int>> order(int first_id) const;

  const Graph* const graph_;
  const Evaluator* const evaluator_;
  std::vector<NodeOutputs> outputs_;
  /// Of the functions of `library_`, made as they are called.
  std::unique_ptr<FunctionBodies> bodies_;
  std::shared_ptr<const FunctionLibrary> library_;
  int64_t body_nodes_left_ = kMaxBodyNodes;
};

/// "{{node y}} = MatMul[T=DT_FLOAT, ...](x, w)": a node in a message.
std::string summarize_node(const Graph& graph, const Node& node);

}  // namespace troupe
