#pragma once

#include "actors/session_core.h"

namespace troupe {

/// Spawns a SESSION over a core that is filled in but for `actor`. It owns the graph; has it changed, and signatures
/// compiled, on the compile pool, so that it always hears a cancel; broadcasts cancellation; keeps deadlines. Spawned
/// by RUNTIME, whose shutdown waits for it. When it ends (close, or an exit message) it cancels what runs.
SessionActor spawn_session(caf::actor_system& system, std::shared_ptr<SessionCore> core);

}  // namespace troupe
