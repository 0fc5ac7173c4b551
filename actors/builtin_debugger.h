#pragma once

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <memory>

#include "actors/debugger.h"
#include "actors/messages/in_process.h"

namespace caf {
class actor_system;
}  // namespace caf

namespace troupe {

/// Whoever is told by "actor://name" what is watched, under that name in the registry of the actor system.
using DebugListener = caf::typed_actor<caf::reacts_to<WatchedValue>, caf::reacts_to<DebugMetadata>>;

/// Writes TensorFlow's dump files below "file://<folder>", and sends to the actor of "actor://<name>" DebugMetadata and each WatchedValue.
/// InvalidArgument for other addresses and NotFound for an actor that is not registered, when the run begins.
std::shared_ptr<Debugger> make_debugger(caf::actor_system& system);

}  // namespace troupe
