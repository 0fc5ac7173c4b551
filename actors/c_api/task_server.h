#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "actors/grpc_door/late_server.h"

namespace tensorflow {
class ServerDef;
}  // namespace tensorflow

namespace troupe {
class ClusterNode;
class Runtime;
}  // namespace troupe

namespace troupe::c_api {

/// What TF_NewServer makes: a server of one task, or a task of a cluster, which TensorFlow's clients and the cluster's other tasks reach at the one address that
/// the cluster has for it. It has a runtime of its own, so that neither sessions of this process nor TF_Reset meet its clients' sessions. Thread-safe.
class TaskServer {
 public:
  /// As server_task for the ServerDef, GrpcServer::start and ClusterNode::start. Unimplemented for a cluster of several tasks by TLS.
  static absl::StatusOr<std::unique_ptr<TaskServer>> start(const tensorflow::ServerDef& def);
  /// As stop.
  ~TaskServer();

  std::string target() const;
  /// Ends the sessions of its clients, and those of other tasks here. The port is free afterwards.
  void stop();

 private:
  std::unique_ptr<Runtime> runtime_;
  std::mutex mu_;
  std::unique_ptr<ClusterNode> node_;  // guarded by mu_; null of a server of one task, and once it has stopped
  LateServer server_;
  std::string target_;
};

}  // namespace troupe::c_api
