#pragma once

#include <caf/actor_addr.hpp>

#include <memory>
#include <string>

#include "actors/interfaces.h"
#include "actors/step_lease.h"
#include "actors/step/partial_run_state.h"
#include "actors/step_copier.h"
#include "actors/turn_unit.h"

namespace troupe {

/// Where a fork goes on.
struct PartialRunOrigin {
  PartialRunState state;
  StepCopy step;
};

/// What a PARTIAL RUN is made of.
struct PartialRunParts {
  std::shared_ptr<SessionCore> core;
  /// Of SessionCore::enter.
  RunGate::Place place;
  StepLease lease;
  /// Of the slot that is leased; null: it makes one.
  std::shared_ptr<TurnUnit> turns = nullptr;
  /// What the lease is of: a fork's is of the same.
  std::shared_ptr<const SignatureAlias> alias;
  std::shared_ptr<const Graph> graph;
  PartialRunSetup setup;
  std::string handle;
  /// What SessionCore::cancels said when the run was counted in.
  int64_t cancels = 0;
  /// How long nobody may take a turn; zero: for ever.
  std::chrono::milliseconds patience{0};
  /// Whose death ends it; nobody's when null.
  caf::actor_addr client;
  /// Null but for a fork.
  std::shared_ptr<PartialRunOrigin> origin;
};

/// Spawned by SESSION, which sends StartPartialRun, hears PartialRunEnded, and ends it (user_shutdown) thereupon. When it dies
/// otherwise its step is cancelled, and the slot is given back when that has ended.
PartialRunActor spawn_partial_run(caf::actor_system& system, PartialRunParts parts);

}  // namespace troupe
