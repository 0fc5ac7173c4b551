#pragma once

#include <string>

#include "graph/passes/device_catalog.h"
#include "graph/passes/evaluator.h"
#include "graph/passes/plan.h"

namespace troupe {

/// Where a partial run's client leaves the value of a feed, or waits for that of a fetch: the rendezvous key of a tensor
/// by the name that the signature gives it.
std::string partial_run_key(const DeviceCatalog& devices, const std::string& tensor);

/// Checks a signature against the graph, in TensorFlow's order and with its texts (see tf_semantics "Feeds,
/// fetches, targets and pruning"), then prunes, lowers functions, optimises, places and partitions.
/// `evaluator` may be null: no folding. `client_device` is where feeds arrive and fetches leave.
absl::StatusOr<Plan> make_plan(const Graph& graph, const PlanSignature& signature,
                               const DeviceCatalog& devices, const Evaluator* evaluator,
                               const PlanOptions& options);

/// The same for the body of a function of the graph's library: its `_Arg` and `_Retval` nodes count arguments and
/// results. Nodes keep the names that they have in the body.
absl::StatusOr<Plan> plan_function(const Graph& graph, const FunctionInstance& instance,
                                   const DeviceCatalog& devices, const Evaluator* evaluator,
                                   const PlanOptions& options);

}  // namespace troupe
