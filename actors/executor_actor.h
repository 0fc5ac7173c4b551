#pragma once

#include "actors/step_slot.h"

namespace troupe {

/// Spawns the EXECUTOR of partition `index` of a slot, and its ExecutorState in slot->states. It runs cheap nodes in its own
/// turns, sends batches of expensive ones to its DEVICE, and tells STEP when the partition is through. Spawned by
/// SESSION, monitored by STEP. Ends with its slot. `slot` must outlive it.
ExecutorActor spawn_executor(caf::actor_system& system, StepSlot* slot, int index);

}  // namespace troupe
