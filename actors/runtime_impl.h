#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include "actors/debugger_anchor.h"
#include "actors/idle_slots.h"
#include "actors/runtime.h"
#include "actors/session_core.h"
#include "actors/session_factories.h"
#include "actors/session_table.h"
#include "devices/cpu/intra_op_pool.h"

namespace troupe {

/// What a Runtime owns but for the actor system. RUNTIME, the facade and the cores of sessions share it.
struct Runtime::Impl : std::enable_shared_from_this<Runtime::Impl> {
  RuntimeOptions options;
  caf::actor_system* system = nullptr;

  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;
  std::shared_ptr<Allocator> host_memory;
  /// Environment::sync_on_finish.
  bool sync_on_finish = true;
  std::unique_ptr<IntraOpPool> intra_op;
  std::shared_ptr<NamedPool> default_pool;
  std::shared_ptr<Services> services;
  std::shared_ptr<NamedPool> compilers;
  /// Where constants are folded; it keeps nothing.
  const std::shared_ptr<Device> folding_device = FoldingEvaluator::make_device();
  std::shared_ptr<Debugger> debugger;
  /// Looks when RUNTIME, whom its clock wakes, is told to.
  std::unique_ptr<IdleSlots> idle_slots;
  RuntimeActor actor;
  const std::shared_ptr<StepMeter> meter = std::make_shared<StepMeter>();
  SessionFactories factories;
  /// The one of them whose sessions RUNTIME makes itself.
  std::shared_ptr<SessionFactory> direct_sessions;
  std::shared_ptr<std::atomic<int64_t>> live_slots = std::make_shared<std::atomic<int64_t>>(0);

  /// A pool for one session: its threads end when the session lets go of it.
  std::shared_ptr<NamedPool> session_pool(int num_threads);
  /// InvalidArgument for fewer threads than none, and when a pool of that name has another size.
  absl::StatusOr<std::shared_ptr<NamedPool>> named_pool(const InterOpPoolOptions& options);
  /// Shared by all sessions that ask for that many threads; 0: the runtime's own.
  ParallelRunner* intra_op_pool(int num_threads);
  /// Waiting threads, and a clock, shared by all sessions that ask for so many; 0: the runtime's own.
  std::shared_ptr<Services> io_services(int num_threads);
  /// The DEVICE of all sessions' devices of that name ("CPU:0"); spawned when first asked for, and again when it has died.
  DeviceActor device(const Device& device);
  /// The DEVICEs that there are, by name.
  std::map<std::string, DeviceActor> devices();
  /// Of every pool that there is; the compile pool is "compile", that of the threads that may wait "waiting".
  std::vector<PoolStatus> pool_statuses();
  /// Closed ones, too, until the last of their steps is gone.
  std::vector<std::shared_ptr<SessionCore>> known_sessions() const { return sessions_.all(); }
  const SessionTable& sessions() const { return sessions_; }
  /// The application's, or, null, those of the machine's devices, of which its own types then are.
  void use_kernels(const KernelRegistry* kernels);
  /// CPUs of that task, the machine's other devices, and what the application brings.
  absl::StatusOr<std::shared_ptr<DeviceSet>> make_devices(const SessionOptions& want,
                                                          const std::string& task);
  /// A session's core with its devices and pools, without an actor.
  absl::StatusOr<std::shared_ptr<SessionCore>> make_core(const SessionOptions& options);
  std::vector<std::shared_ptr<SessionCore>> live_sessions() const;
  /// FailedPrecondition when the runtime has been shut down.
  absl::Status add_session(const std::shared_ptr<SessionCore>& core);
  absl::Status check_running() const;

  /// @name Shutting down, in this order
  /// Of sessions that are not gone, closed or not: their actors are told to end, their steps have.
  std::vector<SessionActor> end_sessions();
  void wait_for_slots() const;
  /// RUNTIME and these have ended.
  void end_actors(const std::vector<SessionActor>& sessions);
  void stop_pools();
  static void stop_services(Services& those);

 private:
  friend class Runtime;
  const DebuggerAnchor anchor_{this};
  absl::Status add_pools(SessionCore* core);
  /// What a session that asks for this goes by, the same object when the last session asked for the same.
  std::shared_ptr<const SessionOptions> share(SessionOptions want);
  std::atomic<int64_t> next_session_{1};
  SessionTable sessions_;
  mutable std::mutex mu_;
  // Guarded by mu_.
  std::map<std::string, std::pair<int, std::shared_ptr<NamedPool>>> pools_;
  /// By number of threads: as many as there are different wishes. Threads start with the first loop worth splitting.
  std::map<int, std::unique_ptr<IntraOpPool>> intra_op_pools_;
  /// By number of waiting threads. No session is opened any more when they are stopped.
  std::map<int, std::shared_ptr<Services>> io_services_;
  std::map<std::string, DeviceActor> devices_;
  /// Pools that sessions own: held here too, and, once the session is gone, let go on a thread that is none of theirs.
  using Pools = std::list<std::shared_ptr<NamedPool>>;
  Pools session_pools_, retired_pools_;
  bool stopped_ = false;
  std::weak_ptr<const SessionOptions> last_options_;
};

/// Spawns RUNTIME: opens sessions, resets them, knows its sessions.
RuntimeActor spawn_runtime(caf::actor_system& system, std::shared_ptr<Runtime::Impl> impl);

}  // namespace troupe
