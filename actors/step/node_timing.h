#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "devices/memory/tracking_allocator.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"

namespace troupe {

/// One execution of one node, recorded when the step collects statistics. Times are nanoseconds since the epoch.
struct NodeTiming {
  struct Output {
    int slot = 0;
    DataType dtype = DataType::kInvalid;
    Shape shape;
    int64_t bytes = 0;
    /// Where the elements are.
    const void* data = nullptr;
    /// TrackingAllocator's; 0: of what no kernel of the step has made.
    int64_t allocation_id = 0;
    bool single_reference = false;
  };
  int32_t node = -1;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  /// When it was sent to a DEVICE, in a batch; 0: it was not.
  int64_t launched_ns = 0;
  /// The system's id of the thread that ran it.
  uint32_t thread = 0;
  std::vector<Output> outputs;
  /// What its kernel allocated; null when no kernel ran.
  std::shared_ptr<TrackingAllocator> memory;
  /// Of `memory` when the node ended, and what was in use of the device's memory then.
  TrackedBytes bytes;
  int64_t device_bytes_in_use = 0;
  /// What outlives the node but is not among its values: a constant, what it gave to variables and other resources.
  int64_t persistent_bytes = 0;
};

int64_t wall_clock_ns();
/// steady_clock, late by up to a tick of the system (4 ms mostly), at a fifth of its cost.
std::chrono::steady_clock::time_point coarse_now();
uint32_t current_thread_id();

}  // namespace troupe
