#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "actors/grpc_door/grpc_server.h"
#include "actors/node/cluster_node.h"
#include "actors/runtime.h"
#include "actors/task_server/late_server.h"

namespace troupe {

class BroughtClusters;
class GuestNodes;
class SharedPort;

struct TaskServerOptions {
  /// Its address, job, index and target follow from the node's.
  GrpcServerOptions server;
  /// A cluster of one task: sessions are of this process, on devices that the server makes.
  ClusterNodeOptions node;
  /// Others may join a cluster of one task: its sessions are the cluster's from the start.
  bool may_grow = false;
  RuntimeOptions runtime;
};

/// A task of a cluster at one address, as TensorFlow's servers are: its clients come there by gRPC, the other tasks by frames of ours. It has a runtime of
/// its own. Sessions may bring clusters (ConfigProto.cluster_def), of which it is a task then, too. Thread-safe.
class TaskServer {
 public:
  /// It serves from now on. As ClusterNode::start and GrpcServer::start. InvalidArgument by TLS: what comes then does not tell at its first bytes
  /// what it is, so that a node and a server have two ports.
  static absl::StatusOr<std::unique_ptr<TaskServer>> start(const TaskServerOptions& options);
  /// As stop.
  ~TaskServer();
  TaskServer(const TaskServer&) = delete;

  /// "grpc://localhost:2222".
  const std::string& target() const { return target_; }
  int port() const { return port_; }
  /// Until it has stopped.
  ClusterNode& node() { return *node_; }

  /// Ends the sessions of its clients, and those of other tasks here. The port is free afterwards.
  void stop();

 private:
  TaskServer();
  absl::Status begin(const TaskServerOptions& options);
  /// Who has come to the port and speaks as a node or a client of one.
  void take_peer(int socket, absl::string_view first_message);

  std::string target_;
  int port_ = 0;
  /// Of the factory for sessions that bring clusters.
  std::string brought_target_;
  std::mutex stop_mu_;
  // From the last to the first: the port hands on to all, sessions of the server are of the nodes, guests are in the node's runtime.
  std::unique_ptr<ClusterNode> node_;
  std::shared_ptr<GuestNodes> guests_;
  LateServer server_;
  std::unique_ptr<SharedPort> shared_port_;
};

}  // namespace troupe
