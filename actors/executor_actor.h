#pragma once

#include "actors/step_slot.h"

namespace troupe {

/// Spawns the EXECUTOR of partition `index` of a slot, and its ExecutorState in slot->states. It runs cheap nodes in its own
/// turns, sends batches of expensive ones to its DEVICE, and tells STEP when the partition is through. Spawned by
/// SESSION, monitored by STEP. It holds the slot until it ends.
ExecutorActor spawn_executor(caf::actor_system& system, std::shared_ptr<StepSlot> slot, int index);

}  // namespace troupe
