#pragma once

#include <string>

#include "absl/status/status.h"
#include "graph/ir/graph.h"

namespace troupe {

/// Refuses (Unimplemented) a tensor that a callable cannot take from, or leave in, the memory of the device of this name.
absl::Status check_client_device(const Graph& graph, Endpoint tensor, const std::string& device);

}  // namespace troupe
