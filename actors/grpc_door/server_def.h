#pragma once

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/grpc_door/grpc_server.h"

namespace tensorflow {
class ServerDef;
}  // namespace tensorflow

namespace troupe {

/// What a ServerDef asks for.
struct ServerTask {
  GrpcServerOptions server;
  /// All tasks, of which server.job and task_index say which is this one.
  ClusterSpec cluster;
};

/// As TensorFlow's: NotFound for another protocol than "grpc", Internal for a job or task that its cluster has not, InvalidArgument for a port that is none,
/// and, naming the task, for an address of another task that is none, or is there twice.
absl::StatusOr<ServerTask> server_task(const tensorflow::ServerDef& def);

}  // namespace troupe
