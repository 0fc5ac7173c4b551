#pragma once

#include <memory>

#include "actors/remote_tasks.h"
#include "actors/session_core.h"
#include "graph/passes/planner.h"

namespace troupe {

/// How a session's signatures and functions are planned.
PlanOptions plan_options(const SessionCore& core);

/// A plan lowered for execution, with the functions of `graph`; the names of feeds and fetches are the caller's to set.
/// `stateful` has the kernels that runs share. What other tasks are to run of it is added to `elsewhere`, to be registered with them. Errors
/// name the node.
absl::StatusOr<std::shared_ptr<SignatureCode>> compile_plan(const SessionCore& core, const Graph& graph,
                                                            Plan plan, StatefulKernels* stateful,
                                                            std::vector<RemoteTasks::Part>* elsewhere);

}  // namespace troupe
