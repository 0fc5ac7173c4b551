#pragma once

#include <memory>
#include <vector>

#include "actors/step/node_timing.h"
#include "devices/compiled_partition.h"
#include "devices/function_runner.h"

namespace troupe {

struct StepSlot;

/// What ran in one partition of a called function.
struct NestedTimings {
  std::shared_ptr<const CompiledPartition> partition;
  std::vector<NodeTiming> timings;
};

/// The calls of functions that a slot's step has out, at any depth. Owned by the slot.
class StepCalls : public FunctionRunner {
 public:
  /// Of a step that is not nested and collected statistics, after its end: what its nested steps ran, once.
  virtual std::vector<NestedTimings> take_timings() = 0;
  /// Of a step that is not nested: some of the steps that are nested in it, at any depth, now; the innermost first. From any thread.
  virtual std::vector<std::shared_ptr<StepSlot>> running(size_t limit) = 0;
  /// At the end of a step that is not nested: drops what nested steps left in the step's container elsewhere, and timings.
  virtual void clear_containers() = 0;
};

}  // namespace troupe
