#pragma once

#include <caf/actor_addr.hpp>

#include <memory>
#include <string>

#include "actors/session_core.h"

namespace troupe {

/// A partial run of a session elsewhere, as the master has begun it.
struct RemotePartialRunParts {
  std::shared_ptr<SessionCore> core;
  PartialRunSetup setup;
  /// The master's name for it.
  std::string handle;
  /// Whose death ends it; nobody's when null.
  caf::actor_addr client;
};

/// Spawns a PARTIAL RUN whose turns the master takes. SESSION hears PartialRunEnded, and ends it thereupon. Leases are the master's. What ends it
/// here ends the turns that wait; of one that waits for none the master hears when the session closes.
PartialRunActor spawn_remote_partial_run(caf::actor_system& system, RemotePartialRunParts parts);

}  // namespace troupe
