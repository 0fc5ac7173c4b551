#pragma once

#include "actors/session_core.h"

namespace troupe {

/// Spawns a SESSION over a core that is filled in but for `actor`. It owns the graph; compiles signatures on actors of
/// their own, so that it always hears a cancel; publishes them for callers; broadcasts cancellation; keeps deadlines. Spawned
/// by RUNTIME, which monitors it. When it ends (close, or an exit message) it cancels what runs.
SessionActor spawn_session(caf::actor_system& system, std::shared_ptr<SessionCore> core);

/// Gives a leased signature for a run request, compiled when need be: SESSION's fast path, also for callers.
std::shared_ptr<const SignatureAlias> find_alias(SessionCore& core, const std::string& key);

class Runtime;
/// The core behind a SESSION's handle; null when it is gone.
std::shared_ptr<SessionCore> core_of(Runtime& runtime, const SessionActor& actor);

}  // namespace troupe
