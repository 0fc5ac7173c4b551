#pragma once

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "actors/grpc_door/call.h"
#include "actors/grpc_door/door_sessions.h"
#include "actors/interfaces.h"
#include "devices/device_set.h"
#include "proto/config.pb.h"

namespace troupe {

/// @name To the DOOR
/// A call that it answers.
template <class ThisCall>
struct Serve {
  std::shared_ptr<ThisCall> call;
};
/// Closes all sessions. Answer: Done, when nothing runs any more or the patience is over.
struct CloseDoor {};

/// @name INTERNAL
/// Look whether the sessions that are being closed have come to rest.
struct CheckClosing {};
/// Close sessions that nobody has used for long.
struct CollectIdle {};

/// DOOR: one per server. TensorFlow's master of one task: it opens, changes, resets and ends the sessions of clients and takes the turns of their
/// partial runs, by messages to RUNTIME and the SESSIONs; it waits for nobody. Steps go past it (run_calls.h). Whoever
/// drops it ends its sessions first (CloseDoor).
using DoorActor =
    caf::typed_actor<caf::reacts_to<Serve<CreateSessionCall>>, caf::reacts_to<Serve<ExtendSessionCall>>,
                     caf::reacts_to<Serve<PartialRunSetupCall>>,
                     // A turn of a partial run.
                     caf::reacts_to<Serve<RunStepCall>>, caf::reacts_to<Serve<CloseSessionCall>>,
                     caf::reacts_to<Serve<ResetCall>>, caf::reacts_to<Serve<MakeCallableCall>>,
                     // Of no session.
                     caf::reacts_to<Serve<ListDevicesCall>>, caf::replies_to<CloseDoor>::with<Done>,
                     // INTERNAL
                     caf::reacts_to<CheckClosing>, caf::reacts_to<CollectIdle>>;

/// What a DOOR is made of.
struct DoorParts {
  RuntimeActor runtime;
  std::shared_ptr<DoorSessions> sessions;
  /// "/job:localhost/replica:0/task:0".
  std::string task;
  /// Of who opens and resets sessions over several tasks; "": they are of this one, with the devices below.
  std::string target;
  /// Of who opens sessions over clusters that they bring, before "/" and the target by which the client has called; "": nobody.
  std::string brought_target = {};
  /// Of all sessions that do not want to be alone; null with a target.
  std::shared_ptr<DeviceSet> devices;
  /// Others, for one session that does.
  std::function<absl::StatusOr<std::shared_ptr<DeviceSet>>()> make_devices;
  /// What sessions have where their client's ConfigProto says nothing.
  tensorflow::ConfigProto default_config;
  /// Sessions that nobody has used for so long are closed; zero: none.
  std::chrono::milliseconds idle_limit{0};
  /// How long the end of a session waits for its runs, which are cancelled.
  std::chrono::milliseconds close_patience{std::chrono::seconds(10)};
};

DoorActor spawn_door(caf::actor_system& system, DoorParts parts);

}  // namespace troupe
