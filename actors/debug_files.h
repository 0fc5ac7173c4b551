#pragma once

#include <string>

#include "absl/status/status.h"
#include "actors/debugger.h"

namespace troupe {

/// TensorFlow's debug dumps: each file is one Event, its time in microseconds since the epoch. Below `root`:
///   _tfdbg_core_metadata_sessionrun<run, 14 digits>_<time>
///   _tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0/_tfdbg_graph_hash<hash>_<time>
///   _tfdbg_device_.../<scope of the node>/<node>_<slot>_<debug op>_<time>
/// Folders are made. Unavailable or PermissionDenied, with the path, when a file cannot be written. Any thread.
absl::Status dump_metadata(const std::string& root, const DebugMetadata& about);
absl::Status dump_graph(const std::string& root, const std::string& device, const Graph& graph);
absl::Status dump_value(const std::string& root, const WatchedValue& seen);

}  // namespace troupe
