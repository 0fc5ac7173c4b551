#pragma once

#include "actors/session_core.h"

namespace troupe {

/// Spawns a SESSION whose graph is elsewhere and whose steps run there, by `core->master`: a SESSION like any other to its clients, its steps those of
/// slots with one part. It sends its changes of the graph one after the other; when it ends, so does the session there. What it cannot have
/// done there is Unimplemented: finalizing, clearing containers alone, partition graphs, debuggers, forks of partial runs.
SessionActor spawn_remote_session(caf::actor_system& system, std::shared_ptr<SessionCore> core);

/// What of the options of a session elsewhere is its client's own, with who has it done: all else is for the master.
SessionOptions options_of_client(const SessionOptions& options, std::shared_ptr<RemoteMaster> master);

}  // namespace troupe
