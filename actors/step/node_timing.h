#pragma once

#include <cstdint>
#include <vector>

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
  };
  int32_t node = -1;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  /// The system's id of the thread that ran it.
  uint32_t thread = 0;
  std::vector<Output> outputs;
};

int64_t wall_clock_ns();
uint32_t current_thread_id();

}  // namespace troupe
