#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace troupe {

/// A step's statistics in the JSON of Chrome's trace viewer, which Perfetto opens: a process for each device, a thread for each
/// thread that ran its nodes, a slice for each execution of a node with its op, inputs and outputs. Times are microseconds
/// from the first one on. InvalidArgument when the bytes are no RunMetadata.
absl::StatusOr<std::string> timeline_json(const std::string& run_metadata);

}  // namespace troupe
