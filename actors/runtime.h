#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/device_type.h"

namespace caf {
class actor_system;
class actor_system_config;
}  // namespace caf

namespace troupe {

class Debugger;
class DeviceSet;
class KernelRegistry;
class OpRegistry;
class SessionFactories;
struct SessionOptions;

struct RuntimeOptions {
  /// Threads of the default named pool and of the intra-op pool; 0: what the environment says (TF_NUM_INTEROP_THREADS,
  /// TF_NUM_INTRAOP_THREADS), or as many as cores. inter_op_threads below 0: sessions that ask for no threads run on their callers'.
  int inter_op_threads = 0;
  int intra_op_threads = 0;
  /// Threads for datasets and other kernels that wait for functions, at most; 0: BlockingPool::kMaxThreads. Made when needed; a
  /// kernel that finds none fails: ResourceExhausted "No thread that may wait: ...".
  int waiting_threads = 0;
  /// Where tensors live; null: Troupe's own host memory. Must outlive the runtime, and all tensors that came from it.
  Allocator* host_memory = nullptr;
  /// Threads that import graphs and compile signatures and functions, of all sessions; 0: as many as cores.
  int compile_threads = 0;
  /// Null: the built-in ops and kernels. Must outlive the runtime.
  const OpRegistry* ops = nullptr;
  const KernelRegistry* kernels = nullptr;
  /// What becomes of runs that are debugged (actors/debugger.h); null: Troupe's own, which writes files and tells actors.
  std::shared_ptr<Debugger> debugger;
  /// Devices of the application's own. A name that is none, or is there already: sessions do not open, InvalidArgument.
  std::vector<DeviceType> device_types;
};

/// Adds Troupe's message types to an application's configuration and sets, unless the application has, what its
/// actors want of the scheduler (policy and messages a turn, not threads). To be called in the constructor of the application's own
/// actor_system_config.
void configure(caf::actor_system_config& config);

/// The RUNTIME actor and what it owns: DEVICEs, pools, sessions. Either inside an application's actor system, or with
/// one of its own. No globals: several may live in one process. Thread-safe. Must be destroyed after its sessions, and on a thread that
/// may wait: none of an actor.
class Runtime {
 public:
  /// With an actor system of its own.
  static std::unique_ptr<Runtime> create(const RuntimeOptions& options = {});
  /// Inside `system`, whose configuration went through `configure` and which must outlive the runtime.
  static std::unique_ptr<Runtime> create(caf::actor_system& system, const RuntimeOptions& options = {});
  /// The one that Session::open uses when none is given; made on first use.
  static Runtime& process_default();
  ~Runtime();
  Runtime(const Runtime&) = delete;

  /// The one that it is in.
  caf::actor_system& system();
  /// What opens its sessions (actors/session_factories.h): DIRECT_SESSION, and what the application adds.
  SessionFactories& session_factories();
  /// Devices for several sessions (SessionOptions::devices), as a session with these options would have them, of the task "/job:j/replica:0/task:t". Who
  /// shares them out clears their containers; they must not outlive the runtime.
  absl::StatusOr<std::shared_ptr<DeviceSet>> make_devices(
      const SessionOptions& options, const std::string& task = "/job:localhost/replica:0/task:0");
  /// Closes all sessions, waits for their steps, for what is being compiled and for the actors, and stops the pools. No session
  /// is opened after: FailedPrecondition. Called by the destructor.
  void shutdown();

  /// INTERNAL
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  explicit Runtime(std::shared_ptr<Impl> impl);
  /// The actor system when it is the runtime's own. Goes last.
  std::shared_ptr<void> own_system_;
  /// Shared with RUNTIME and with sessions: what they use stays until the last of them is gone.
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe
