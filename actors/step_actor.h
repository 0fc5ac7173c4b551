#pragma once

#include "actors/step_slot.h"

namespace troupe {

/// Spawns a STEP for a slot: starts its EXECUTORs, gathers their ends, keeps the first error, passes cancellation on.
/// Spawned by SESSION together with its EXECUTORs and RENDEZVOUS, all of which it monitors: when one dies while the
/// step runs, the step fails with Internal naming it and the slot is not used again. Ends with its slot. It holds the slot until then.
///
///   idle --RunStep--> running --last ExecutorDone--> idle
///                     running --child died--------> idle (slot broken)
StepActor spawn_step(caf::actor_system& system, std::shared_ptr<StepSlot> slot);

}  // namespace troupe
