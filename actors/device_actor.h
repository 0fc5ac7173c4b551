#pragma once

#include <memory>

#include "actors/interfaces.h"

namespace troupe {

/// Spawns a DEVICE. The runtime spawns one per device of the machine, and another when it has died; STEPs monitor those that they use.
/// It runs on the thread of whoever sends to it. `memory` is the device's.
DeviceActor spawn_device(caf::actor_system& system, std::shared_ptr<const Allocator> memory);

}  // namespace troupe
