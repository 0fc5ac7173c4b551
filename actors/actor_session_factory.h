#pragma once

#include <memory>
#include <string>

#include "actors/interfaces.h"
#include "actors/session_factory.h"

namespace troupe {

/// A session factory that is an actor: an application's, or the RUNTIME of another runtime.
using SessionFactoryActor = caf::typed_actor<
    // Make a SESSION in this process, which goes to who opens it.
    caf::replies_to<OpenSession>::with<SessionActor>,
    // Clear containers of those that it has made, and close them.
    caf::replies_to<ResetRequest>::with<Done>>;

/// @name Factories that have an actor answer, and keep it
/// Unavailable when it has ended, InvalidArgument when there is none.

/// For targets that begin with `prefix` ("caf://"); for none when it is empty.
std::shared_ptr<SessionFactory> make_actor_session_factory(std::string prefix, SessionFactoryActor actor);

/// The name under which every runtime has the next one.
inline constexpr char kDirectSession[] = "DIRECT_SESSION";
/// For the target "": sessions that run in this process, which RUNTIME makes.
std::shared_ptr<SessionFactory> make_direct_session_factory(RuntimeActor runtime);

}  // namespace troupe
