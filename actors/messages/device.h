#pragma once

#include <caf/actor_addr.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "actors/messages/in_process.h"
#include "actors/run_values.h"
#include "actors/step/kernel_task.h"
#include "graph/tensor/allocator.h"

namespace troupe {

struct StepSlot;

class NamedPool;

/// @name To a DEVICE
/// An EXECUTOR that runs steps on it, alive or not. When the DEVICE ends, the STEP of the slot hears it as a down_msg. A request is answered
/// once that is so, or by an error when the DEVICE has ended. Twice is once.
struct JoinDevice {
  caf::actor_addr executor;
  /// Whose it is: it is asked while that runs a step. None: always.
  std::optional<std::weak_ptr<StepSlot>> slot = std::nullopt;
};
/// That EXECUTOR has ended, or its step's actors are about to.
struct LeaveDevice {
  caf::actor_id executor = 0;
};
/// Ready nodes whose kernels are to run on the step's pool.
struct LaunchKernels {
  std::vector<KernelTask*> tasks;
  NamedPool* pool = nullptr;
  /// Whose step it is: sessions take turns.
  const void* session = nullptr;
  /// The step that they belong to; also keeps it alive.
  std::shared_ptr<void> step;
  /// More goes first.
  int64_t priority = 0;
  /// Keeps the pool when it was lent for the run: who takes the last kernel may end it.
  std::shared_ptr<NamedPool> lent_pool = nullptr;
};
/// The step is cancelled: hand back what is queued of it.
struct DropKernels {
  const void* step = nullptr;
};
struct DeviceStatusRequest {};
struct DeviceStatus {
  int64_t batches = 0;
  int64_t kernels_launched = 0;
  /// Those that wait for a thread.
  int64_t kernels_waiting = 0;
  AllocatorStats memory;
  /// What the steps that run on it hold, as far as their EXECUTORs answer at once: one whose thread is inside a kernel does not.
  std::vector<StepMemory> steps;
};

}  // namespace troupe
