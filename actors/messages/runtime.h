#pragma once

#include <caf/actor_addr.hpp>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/messages/in_process.h"
#include "actors/options.h"
#include "actors/run_values.h"
#include "graph/tensor/allocator.h"

namespace troupe {

class Session;

/// @name To the RUNTIME, and to session factories that are actors
/// Answer: the handle of a SESSION of the factory that accepts the options. It is whose who asks: no handle keeps it, it ends when it is sent an
/// exit message, or with its runtime; CloseRequest only closes it.
struct OpenSession {
  SessionOptions options;
};
/// Clears the named containers (none: the default one) of all sessions of the factory that accepts the options, and closes them. Answer: Done.
struct ResetRequest {
  std::vector<std::string> containers;
  SessionOptions options = {};
};

/// @name To the RUNTIME
struct RuntimeStatusRequest {};
/// An open session.
struct SessionStatus {
  /// Of this runtime.
  int64_t id = 0;
  /// The SESSION.
  caf::actor_addr actor;
  /// SessionOptions::metadata_name.
  std::string name;
  SessionCounters counters;
};
struct PoolStatus {
  std::string name;
  /// Threads that it may have, that it has, and that are at work.
  int max_threads = 0;
  int threads = 0;
  int busy = 0;
  int64_t turns_waiting = 0;
  int64_t kernels_waiting = 0;
  int64_t kernels_run = 0;
};
/// What one DEVICE says, which serves the device of that name of every session.
struct DeviceLoad {
  std::string name;
  int64_t batches = 0;
  int64_t kernels_launched = 0;
  int64_t kernels_waiting = 0;
  std::vector<StepMemory> steps;
};
struct RuntimeStatus {
  int64_t sessions = 0;
  /// Not once it is being shut down.
  bool opens_sessions = false;
  /// Since the runtime began, those of sessions that are gone included.
  int64_t runs = 0;
  std::vector<SessionStatus> open_sessions;
  std::vector<PoolStatus> pools;
  std::vector<DeviceLoad> device_loads;
  std::vector<DeviceInfo> devices;
  /// What the DEVICEs handed to pools.
  int64_t batches = 0;
  int64_t kernels_launched = 0;
  int64_t kernels_waiting = 0;
  AllocatorStats memory;
  std::vector<StepMemory> steps;
};
/// INTERNAL: what a session factory made of the OpenSession, or the ResetRequest, of this number.
struct FactoryOpened {
  int64_t number = 0;
  std::shared_ptr<absl::StatusOr<std::unique_ptr<Session>>> session;
};
struct FactoryReset {
  int64_t number = 0;
  absl::Status status;
};
/// INTERNAL: slots of sessions lie idle (IdleSlots).
struct LookAtSlots {};

}  // namespace troupe
