#pragma once

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/chunk_receiver.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/cluster/roster.h"
#include "actors/cluster/lease.h"
#include "actors/node/cluster_view.h"
#include "actors/node/messages.h"
#include "actors/node/send_queue.h"
#include "actors/node/step_directory.h"
#include "actors/tls/tls_context.h"

namespace troupe {

class BlockingPool;

/// What a NODE is made of.
struct NodeParts {
  /// With the cluster that it was started with; NODE keeps it true.
  std::shared_ptr<ClusterView> view;
  /// What has changed before this node joined.
  std::vector<RosterChange> changes;
  /// Told once, on NODE's thread, when others say that this node is not its task any more; may be null.
  std::function<void(const absl::Status&)> expelled;
  TaskId task;
  uint64_t incarnation = 0;
  LeaseOptions lease;
  /// Of clients.
  LeaseOptions client_lease;
  /// How many of the connections may be clients'.
  size_t max_clients = 1024;
  /// False: others listen at its address, which is a port's already, and bring who connects by NodeArrived.
  bool listens = true;
  /// What it says to those whom it calls names its cluster and whom it means: they may be servers that were started for others.
  bool is_guest = false;
  /// How long it tries to reach a task that does not answer.
  std::chrono::milliseconds connect_patience{2000};
  /// Null: without TLS. Else peers must have certificates, each of the host of the task that he is.
  std::shared_ptr<const TlsContext> tls;
  /// What one peer may send.
  ChunkLimits limits;
  /// Where values that come in lie; outlives them.
  Allocator* memory = plain_allocator();
  /// How many there may be at once; who comes then is turned away.
  size_t max_connections = 4096;
  /// What others want to be sent.
  std::shared_ptr<NodeSendQueue> words;
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
/// say, keeps the leases of those that it is connected to, asks and answers; requests of tasks go to `worker`, values to the directory, requests of
/// clients to `clients`. Nothing of a peer reaches them before he has said which task of the cluster he is, or that he is a client.
/// Unavailable when the address cannot be had.
absl::StatusOr<SpawnedNode> spawn_node(caf::actor_system& system, const TaskAddress& address,
                                       NodeParts parts);
}  // namespace troupe
