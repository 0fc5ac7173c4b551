#pragma once

#include <string>
#include <vector>

#include "graph/passes/device_catalog.h"
#include "graph/passes/pass.h"
#include "graph/passes/plan.h"

namespace troupe {

/// Which devices of a catalog are in one part of a graph that is cut.
struct Cut {
  /// By device: the number of its part.
  std::vector<int> part_of;
  /// By part: how many devices it has. What has several is cut again, by device, where it runs.
  std::vector<int> devices_in;
  /// Between the name of a node and the number of what is added after it.
  std::string mark = "/_";
};
/// Each device is a part of its own.
Cut cut_by_device(const DeviceCatalog& devices);

/// Cuts a placed graph. Each edge that crosses from part to part becomes a `_Send` and a `_Recv`, one pair per source output and
/// destination part, on the devices of the source and of its first consumer there; all control edges from one node to one part share
/// a pair that carries an empty tensor.
/// In every part that a while loop receives values in inside the loop goes a loop of control: what is received waits for
/// it, so that it is received once an iteration. InvalidArgument for such a loop without a LoopCond, or with several. Transfers
/// that the graph has already get the incarnation of the device that sends, if they say 0. A partition has the functions that
/// its nodes may come to call. In a part on one device with memory of its own, values are copied between its memory and the host's
/// (cross_memory.h). Linear. `draft` is used up.
absl::StatusOr<std::vector<PlanPartition>> partition(const DeviceCatalog& devices, const Cut& cut,
                                                     Draft draft);

}  // namespace troupe
