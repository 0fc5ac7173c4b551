#pragma once

#include <optional>
#include <vector>

#include "graph/passes/infer_shapes.h"

namespace troupe {

/// Answers the nodes of a draft that ask for shapes (Shape, ShapeN, Size, Rank) from what is known before anything runs.
/// Only what shape functions tell of stateless nodes counts: what is fed, variables, queues and lists may have other shapes
/// than somebody declared. Looks at no more than kMaxNodes nodes for a question, and at each node once for all of them.
/// Not thread-safe. Node ids must not change while it lives.
class ShapeQuestions {
 public:
  explicit ShapeQuestions(const Graph& graph) : graph_(graph), shapes_(&graph) {}

  static bool is_question(const Node& node);
  /// The outputs of a question, whose producers have been changed for the last time; nothing when too little is known. Rank
  /// needs the rank of its input, the others every dimension.
  std::optional<std::vector<Tensor>> answer(const Node& question);

 private:
  static constexpr int kMaxNodes = 1000;

  /// Infers what the outputs of this node, and of those before it, look like.
  void infer(int wanted);

  const Graph& graph_;
  ShapeInference shapes_;
};

}  // namespace troupe
