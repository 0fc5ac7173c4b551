#pragma once

#include "graph/passes/pass.h"
#include "graph/passes/plan.h"

namespace troupe {

/// The body of a function of the graph's library as a graph of its own: `_Arg` nodes, the body's, `_Retval` nodes. Adds the types of
/// arguments and results to the plan. Errors of the function's definition.
absl::StatusOr<Draft> draft_function(const Graph& graph, const FunctionInstance& instance, Plan* plan);

}  // namespace troupe
