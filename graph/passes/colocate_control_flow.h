#pragma once

#include "graph/passes/device_catalog.h"
#include "graph/passes/pass.h"

namespace troupe {

/// Moves what only routes values to the devices of those whose values it routes, so that a loop needs fewer transfers an
/// iteration: a Switch goes to its data input, an Exit to what it leaves, an Enter or NextIteration to its consumer if
/// there is only one. As TensorFlow does, after all other passes, and against the wishes of the client; a node stays where it is
/// when the other device has no kernel for it, and so does an Enter of a reference. Linear in the graph.
absl::StatusOr<PassStats> colocate_control_flow(const DeviceCatalog& devices, Graph* graph);

}  // namespace troupe
