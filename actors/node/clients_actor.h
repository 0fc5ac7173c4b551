#pragma once

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <string>

#include "actors/cluster/task_id.h"
#include "actors/interfaces.h"

namespace troupe {

/// What CLIENTS is made of.
struct ClientsParts {
  /// The node's.
  TaskId task;
  RuntimeActor runtime;
  /// SessionOptions::target of sessions over the node's cluster in that runtime.
  std::string target;
  /// By one connection, at once.
  size_t max_sessions_of_client = 1024;
};

/// Spawns CLIENTS: what a node does for those who are no task of its cluster. It opens sessions over all tasks for them and has them run. A
/// session belongs to the connection that it was opened by: nobody else can name it, and it ends with that. Nothing here waits: graphs are parsed on
/// the compile pool, and a run is answered by the thread that ends it. It takes ClientRequest and ClientLost from its NODE; its sessions end
/// with it.
caf::actor spawn_clients(caf::actor_system& system, ClientsParts parts);

}  // namespace troupe
