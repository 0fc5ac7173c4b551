#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "actors/tls/tls_options.h"

namespace troupe {

class Runtime;

struct GrpcServerOptions {
  /// "HOST:PORT", where HOST is the loopback's without TLS: "localhost", "127.0.0.1", "[::1]". Port 0: a free one.
  std::string address = "127.0.0.1:0";
  /// False: it does not listen. Somebody else does at `address`, whose port is not 0, and brings its clients by `adopt`; without TLS.
  bool listens = true;
  /// The server's; each client must have a certificate of the same authority, too. Without it whoever reaches the port is served.
  TlsOptions tls;
  /// Any HOST though there is no TLS: who reaches the port may run any graph.
  bool insecure = false;
  /// The task that it is.
  std::string job = "localhost";
  int task_index = 0;
  /// Of a session factory of the runtime, by which its sessions are opened and reset: over a cluster, ClusterNode::target. "": its sessions are of this one
  /// task, on devices that the server makes.
  std::string target;
  /// Of a session factory of the runtime for sessions that bring a cluster of their own (ConfigProto.cluster_def): it is asked with this, "/" and the
  /// target by which the client has called. "": there is none, and they are Unimplemented.
  std::string brought_target;
  /// A ConfigProto, as bytes: the server's devices are made by it, and sessions have it where their client's says nothing.
  std::string default_config;
  /// Sessions that nobody has used for so long are closed; zero: none are.
  std::chrono::milliseconds session_idle_limit{std::chrono::hours(24)};
  size_t max_sessions = 4096;
  /// Of one client: those with certificates of the same names are one. Without TLS clients are not told apart.
  size_t max_sessions_per_client = 1024;
  /// Of one request, 1 to INT32_MAX; a larger one is ResourceExhausted.
  int64_t max_message_bytes = INT32_MAX;
  /// How long the end of a session waits for its runs, which are cancelled.
  std::chrono::milliseconds close_patience{std::chrono::seconds(10)};
};

/// A server whose clients are TensorFlow's: tf.compat.v1.Session("grpc://HOST:PORT") runs its graphs on this runtime, or on a cluster of which it is
/// a task. Sessions share their devices, and so variables, queues and tables, unless their client asks for isolation. Thread-safe.
/// Must be destroyed before its runtime, and before the node of its cluster.
class GrpcServer {
 public:
  /// Whether this build has gRPC.
  static bool available();
  /// It serves from now on. InvalidArgument for an address, job, limit or ConfigProto that is none; PermissionDenied for one that is not the
  /// loopback's without TLS; as TlsIdentity::load for its files; FailedPrecondition when the port is in use; Unimplemented without gRPC.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> start(Runtime& runtime,
                                                           const GrpcServerOptions& options = {});
  /// As stop.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;

  int port() const;
  /// "grpc://127.0.0.1:2222".
  std::string target() const;

  /// Takes a client's connection over, which is non-blocking, as soon as it was made: closed when the server has stopped, or listens itself.
  void adopt(int socket);

  /// Ends its sessions, waits no longer than close_patience for their runs, and answers all calls that are open then: Aborted, so that no client
  /// repeats them. The port is free afterwards.
  void stop();

 private:
  struct Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
