#pragma once

#include "graph/passes/pass.h"
#include "graph/passes/planner.h"

namespace troupe {

/// Cuts a placed graph by device. Each edge that crosses becomes a `_Send` and a `_Recv`, one pair per source output and
/// destination device; all control edges from one node to one device share a pair that carries an empty tensor.
/// Unimplemented for while loops that cross devices. Linear. `draft` is used up.
absl::StatusOr<std::vector<PlanPartition>> partition(const DeviceCatalog& devices, Draft draft);

}  // namespace troupe
