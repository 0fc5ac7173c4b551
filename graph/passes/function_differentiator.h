#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/passes/function_body.h"

namespace troupe {

/// Makes gradients of functions, for SymbolicGradient nodes; `graph/gradients` implements it. Stateless: any thread may call it.
class FunctionDifferentiator {
 public:
  virtual ~FunctionDifferentiator() = default;
  /// A body that takes the arguments of `f` and a gradient for each of its results, and has as results the gradients of
  /// the arguments, of the given types. `f` is a function of the graph's library, or an op with its attrs.
  virtual absl::StatusOr<std::shared_ptr<const FunctionBody>> differentiate(
      const Graph& graph, const FunctionRef& f, absl::Span<const DataType> results) const = 0;
};

}  // namespace troupe
