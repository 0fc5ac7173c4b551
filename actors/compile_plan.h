#pragma once

#include <memory>

#include "actors/session_core.h"
#include "graph/passes/planner.h"

namespace troupe {

/// How a session's signatures and functions are planned.
PlanOptions plan_options(const SessionCore& core);

/// A plan lowered for execution, with the functions of `graph`; the names of feeds and fetches are the caller's to set.
/// `stateful` has the kernels that runs share. Errors name the node.
absl::StatusOr<std::shared_ptr<SignatureCode>> compile_plan(const SessionCore& core, const Graph& graph,
                                                            Plan plan, StatefulKernels* stateful);

}  // namespace troupe
