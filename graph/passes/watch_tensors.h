#pragma once

#include <span>
#include <string>

#include "graph/ir/graph.h"
#include "graph/passes/tensor_watch.h"

namespace troupe {

/// NotFound for nodes that the graph does not have, InvalidArgument for outputs that they do not have, FailedPrecondition for a negative
/// slot of a node.
absl::Status check_watches(const Graph& graph, std::span<const TensorWatch> watches);

/// Adds to a partition on `device` a node for each debug op of what it has of the watched tensors: "__dbg_<node>:<slot>_<n>_<op>".
/// Nodes that were pruned, fed or are on another device are not there, and not seen. Who uses a watched reference waits until it was
/// looked at. FailedPrecondition "Failed to create debug node ..." for an op or a parameter that is not known.
absl::Status watch_tensors(std::span<const TensorWatch> watches, const std::string& device, Graph* partition);

}  // namespace troupe
