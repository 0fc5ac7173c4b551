#pragma once

#include "actors/step_slot.h"

namespace troupe {

/// Spawns the RENDEZVOUS of a slot: a RendezvousTable behind messages. Monitored by STEP; ends with its slot.
RendezvousActor spawn_rendezvous(caf::actor_system& system, std::shared_ptr<StepSlot> slot);

/// What Send and Recv kernels see of it: each call is one message. Thread-safe.
std::unique_ptr<Rendezvous> make_rendezvous_face(RendezvousActor actor);

}  // namespace troupe
