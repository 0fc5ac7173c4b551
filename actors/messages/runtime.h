#pragma once

#include <string>
#include <vector>

#include "actors/messages/in_process.h"
#include "actors/options.h"
#include "actors/run_values.h"
#include "graph/tensor/allocator.h"

namespace troupe {

/// @name To the RUNTIME
/// Answer: the SESSION's handle.
struct OpenSession {
  SessionOptions options;
};
/// Clears the named containers of all sessions (none: the default one) and closes them. Answer: Done.
struct ResetRequest {
  std::vector<std::string> containers;
};
struct RuntimeStatusRequest {};
struct RuntimeStatus {
  int64_t sessions = 0;
  std::vector<DeviceInfo> devices;
  /// What the DEVICEs handed to pools.
  int64_t batches = 0;
  int64_t kernels_launched = 0;
  int64_t kernels_waiting = 0;
  AllocatorStats memory;
  std::vector<StepMemory> steps;
};

}  // namespace troupe
