#pragma once

#include "graph/passes/device_catalog.h"
#include "graph/passes/pass.h"
#include "graph/passes/plan.h"

namespace troupe {

/// Cuts a placed graph by device. Each edge that crosses becomes a `_Send` and a `_Recv`, one pair per source output and
/// destination device; all control edges from one node to one device share a pair that carries an empty tensor.
/// On every device that a while loop receives values on inside the loop goes a loop of control: what is received waits for
/// it, so that it is received once an iteration. InvalidArgument for such a loop without a LoopCond, or with several. Transfers
/// that the graph has already get the incarnation of the device that sends, if they say 0. A partition has the functions that
/// its nodes may come to call. Linear. `draft` is used up.
absl::StatusOr<std::vector<PlanPartition>> partition(const DeviceCatalog& devices, Draft draft);

}  // namespace troupe
