#pragma once

#include "absl/status/status.h"
#include "actors/options.h"
#include "graph/passes/planner.h"

namespace troupe {

constexpr char kSingleThreadedExecutor[] = "SINGLE_THREADED_EXECUTOR";

/// Whether the executor that the session's options name runs a plan. NotFound for a name that is none. The
/// single-threaded executor takes neither control flow of the caller's own making (FailedPrecondition) nor
/// reference edges nor several devices (Unimplemented); what functional control flow is lowered to is our
/// business. `graph` is what was planned.
absl::Status check_executor_type(const SessionOptions& options, const Graph& graph, const Plan& plan);

}  // namespace troupe
