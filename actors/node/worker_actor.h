#pragma once

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>

#include "actors/cluster/task_id.h"
#include "actors/interfaces.h"
#include "actors/node/send_queue.h"
#include "actors/node/step_directory.h"
#include "devices/device_set.h"

namespace troupe {

/// What a WORKER is made of.
struct WorkerParts {
  TaskId task;
  uint64_t incarnation = 0;
  RuntimeActor runtime;
  caf::actor node;
  std::shared_ptr<NodeSendQueue> words;
  std::shared_ptr<StepDirectory> steps;
  /// The task's devices, whose resources its sessions share unless they want to be alone.
  std::shared_ptr<DeviceSet> devices;
  /// Of one life of a peer, at once.
  size_t max_sessions_of_peer = 4096;
  /// The same devices with resources of their own.
  std::function<absl::StatusOr<std::shared_ptr<DeviceSet>>()> own_devices;
};

/// Spawns WORKER: what a node does for the sessions of others. Each has a SESSION here, to which its parts of signatures belong; running one is a
/// lease of its slot, as for any run. It has no thread: who sends it a message resumes it, NODE as a rule; what takes long it gives to the
/// compile pool. What belongs to a peer that is lost ends.
caf::actor spawn_worker(caf::actor_system& system, WorkerParts parts);

}  // namespace troupe
