#pragma once

#include "graph/passes/device_catalog.h"
#include "graph/passes/partition.h"
#include "graph/passes/plan.h"

namespace troupe {

/// The devices of one task are one part: "/job:worker/replica:0/task:1".
Cut cut_by_task(const DeviceCatalog& devices);

/// What a master does: cuts a placed graph by task (`partition`). Each node of a part asks for the device that it is on, so that the part can
/// leave the process as a GraphDef. Errors as of `partition`.
absl::StatusOr<std::vector<PlanPartition>> partition_by_task(const DeviceCatalog& devices, Draft draft);

/// What a worker does: cuts such a part, which came from its master, by device. Of the signature, which the master has, the part has
/// `_Arg` and `_Retval` nodes with numbers below these. InvalidArgument "Missing device name in: ..." for a node that asks for no
/// complete device, for one that asks for a device that is not of this task, and for such a number that is out of range or there twice;
/// errors of `partition`. `part` is used up.
absl::StatusOr<Plan> plan_part(const DeviceCatalog& devices, Graph part, int num_feeds, int num_fetches);

}  // namespace troupe
