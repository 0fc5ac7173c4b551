#pragma once

#include <memory>

#include "actors/actor_session_factory.h"
#include "actors/runtime.h"

namespace troupe::test {

/// Targets that begin so are for the factory that is an object, and for the one that is an actor.
inline constexpr char kObjectTarget[] = "object://";
inline constexpr char kActorTarget[] = "actor://";

/// Has another runtime open its sessions, and reset them.
std::shared_ptr<SessionFactory> make_object_factory(Runtime* elsewhere);
/// The same as an actor, which ends when it is told to.
SessionFactoryActor spawn_factory_actor(Runtime& elsewhere);

}  // namespace troupe::test
