#pragma once

#include "actors/step_slot.h"

namespace troupe {

/// Spawns the REMOTE EXECUTOR of part `index` of a slot's `code->remotes`: to the STEP an EXECUTOR like any other, whose partition is another
/// task's. It starts and stops the part there and tells the STEP when it has ended. It holds the slot until it ends.
ExecutorActor spawn_remote_executor(caf::actor_system& system, std::shared_ptr<StepSlot> slot, size_t index);

}  // namespace troupe
