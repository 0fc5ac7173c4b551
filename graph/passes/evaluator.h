#pragma once

#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

/// Runs single stateless nodes on constant inputs, for constant folding; `devices/cpu` implements it.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// False when there is no kernel that could run this node here and now.
  virtual bool can_evaluate(const Node& node) const = 0;
  /// The outputs; an error leaves the node as it is.
  virtual absl::StatusOr<std::vector<Tensor>> evaluate(const Node& node, const std::vector<Tensor>& inputs,
                                                       int graph_producer_version) const = 0;
};

}  // namespace troupe
