#pragma once

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/cluster/lease.h"
#include "actors/node/messages.h"
#include "actors/node/step_directory.h"

namespace troupe {

class BlockingPool;

/// What a NODE is made of.
struct NodeParts {
  ClusterSpec cluster;
  TaskId task;
  uint64_t incarnation = 0;
  LeaseOptions lease;
  /// How long it tries to reach a task that does not answer.
  std::chrono::milliseconds connect_patience{2000};
  /// Where values that come in go.
  std::shared_ptr<StepDirectory> steps;
  /// Where connections are made, which may take long.
  BlockingPool* waiting = nullptr;
};

/// A NODE that listens.
struct SpawnedNode {
  caf::actor actor;
  /// The port that it got.
  uint16_t port = 0;
};

/// Spawns NODE: the connections of one node to the others, on the thread of CAF's middleman. It listens, connects when there is something to
/// say, keeps the leases of those that it is connected to, asks and answers; requests that come in go to `worker`, values to the directory.
/// Unavailable when the address cannot be had.
absl::StatusOr<SpawnedNode> spawn_node(caf::actor_system& system, const TaskAddress& address,
                                       NodeParts parts);
/// Who gets the requests from now on. Until then they are Unavailable.
void set_worker(const caf::actor& node, const caf::actor& worker);

/// INTERNAL
struct SetWorker {
  caf::actor worker;
};

}  // namespace troupe
