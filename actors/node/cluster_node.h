#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/cluster/lease.h"
#include "actors/cluster/roster.h"
#include "actors/options.h"
#include "actors/tls/tls_options.h"

namespace caf {
class actor_system;
class actor_system_config;
}  // namespace caf

namespace troupe {

class Runtime;
class Session;
struct RuntimeOptions;

struct ClusterNodeOptions {
  /// All tasks, and which of them this node is. It listens where the cluster says; port 0: the system chooses one, which others then have to be
  /// told.
  ClusterSpec cluster;
  TaskId task;
  /// What has changed in the cluster since others of its nodes were started, where this one has joined it (node_client/cluster_calls.h).
  std::vector<RosterChange> changes;
  /// Called once, on a thread that must not wait, when the cluster has another process for the task, or the task no more: FailedPrecondition, which says who
  /// has it. Others do not speak with this node then. May be null.
  std::function<void(const absl::Status&)> expelled;
  /// The node's: its peers must have certificates of the same authority, each for the host that the cluster has for its task.
  TlsOptions tls;
  /// Any host though there is no TLS: who reaches the port may be any task.
  bool insecure = false;
  /// Of one value or message from another task; who sends a larger one hears ResourceExhausted.
  uint64_t max_message_bytes = uint64_t{16} << 30;
  /// Peers at once, and who has connected and not said yet who he is.
  size_t max_connections = 4096;
  /// Who is silent for longer is lost, and what waits for him fails.
  LeaseOptions lease;
  /// How long it tries to reach a task.
  std::chrono::milliseconds connect_patience{2000};
  /// How long a session that opens waits for tasks that are not there yet.
  std::chrono::milliseconds open_patience{10000};
  /// Who is no task may connect, too, and open sessions over the cluster here (target "caf://HOST:PORT"): from the loopback, or with any certificate
  /// of the authority, as the node listens. So many at once; 0: nobody. Each has so many sessions.
  size_t max_clients = 1024;
  size_t max_sessions_of_client = 1024;
  /// A client is not worth as quick a word as a task, and his process may be stopped for a while.
  LeaseOptions client_lease{std::chrono::seconds(10), std::chrono::seconds(1), std::chrono::seconds(5)};
  /// Set: somebody else listens at the task's address, at this port, and brings who connects (ClusterNode::adopt).
  std::optional<uint16_t> brought_port;
  /// Set: the cluster is one that sessions have brought to servers that were started for others; what its nodes say to each other says so
  /// (Hello.cluster).
  bool is_guest = false;
  /// How many CPU devices the task has, and by how many threads their loops are split (0: as many as cores).
  int num_cpus = 1;
  int intra_op_threads = 0;

  /// The devices that a process's ConfigProto asks for.
  void take_devices(const SessionOptions& config);
};

/// What a node needs of an actor system's configuration beside `configure`: CAF's middleman. To be called in the constructor of the application's
/// own actor_system_config.
void configure_network(caf::actor_system_config& config);

/// One task of a cluster: a WORKER, which runs what sessions of all tasks place on its devices, and whoever opens sessions here is their master.
/// Without TLS it listens on the loopback interface only: what comes in is checked then, but not who sends it. Thread-safe.
class ClusterNode {
 public:
  /// In the actor system of `runtime`, which must outlive it. Internal for a task that the cluster does not have; PermissionDenied for an
  /// address that is not loopback without TLS; as TlsIdentity::load for its files; Unavailable when it cannot listen there; FailedPrecondition without a middleman.
  static absl::StatusOr<std::unique_ptr<ClusterNode>> start(Runtime& runtime, ClusterNodeOptions options);
  /// The same with an actor system and a runtime of its own.
  static absl::StatusOr<std::unique_ptr<ClusterNode>> start(const RuntimeOptions& runtime,
                                                            ClusterNodeOptions options);
  /// Ends the sessions of others here, says goodbye, and waits for the actors.
  ~ClusterNode();
  ClusterNode(const ClusterNode&) = delete;

  /// Where it listens.
  uint16_t port() const;
  uint64_t incarnation() const;
  /// The runtime that it is in.
  Runtime& runtime() const;
  /// SessionOptions::target of sessions over the cluster in that runtime, for as long as this node is there: as open_session, for who has the runtime
  /// alone.
  std::string target() const;
  /// A session over those tasks of the cluster that ConfigProto.device_filters lets through: all without filters, and always this one
  /// (SessionOptions::target is not looked at). Waits for the other tasks. DeadlineExceeded that names those that do not answer.
  absl::StatusOr<std::unique_ptr<Session>> open_session(const SessionOptions& options = {});

  /// Takes over a connection that somebody made to the task's address, non-blocking, of which nothing was read.
  void adopt(int socket);
  /// That are open here: of other tasks' masters, and its own. 0 once it has ended.
  size_t num_sessions() const;

  /// Takes no new sessions, neither of other masters nor its own, and waits until those that are there have been closed: so that it can go without
  /// anybody's step failing. Who opens sessions over it waits for another life of the task (open_patience). DeadlineExceeded, which says how
  /// many are left, after the patience; it may be called again. There is no way back.
  absl::Status drain(std::chrono::milliseconds patience);
  /// The tasks that the cluster has now: those that it was started with, but for those that have joined and left since.
  ClusterSpec cluster() const;
  /// The cluster has this task no more: nobody waits for it who opens a session, and sessions that have parts here lose it. To be called before the end,
  /// and after `drain`. Unavailable when no other task hears of it.
  absl::Status leave();

 private:
  struct Impl;
  explicit ClusterNode(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
