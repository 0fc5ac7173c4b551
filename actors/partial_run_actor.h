#pragma once

#include <memory>
#include <string>

#include "actors/interfaces.h"
#include "actors/step_lease.h"
#include "actors/step/partial_run_state.h"

namespace troupe {

/// What a PARTIAL RUN is made of.
struct PartialRunParts {
  std::shared_ptr<SessionCore> core;
  /// Of SessionCore::enter.
  RunGate::Place place;
  StepLease lease;
  std::shared_ptr<const Graph> graph;
  PartialRunSetup setup;
  std::string handle;
  /// What SessionCore::cancels said when the run was counted in.
  int64_t cancels = 0;
  /// How long nobody may take a turn; zero: for ever.
  std::chrono::milliseconds patience{0};
};

/// Spawned by SESSION, which sends StartPartialRun, hears PartialRunEnded, and ends it (user_shutdown) thereupon. When it dies
/// otherwise its step is cancelled, and the slot is given back when that has ended.
PartialRunActor spawn_partial_run(caf::actor_system& system, PartialRunParts parts);

}  // namespace troupe
