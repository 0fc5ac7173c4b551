#pragma once

#include "absl/status/statusor.h"
#include "actors/grpc_door/grpc_server.h"

namespace tensorflow {
class ServerDef;
}  // namespace tensorflow

namespace troupe {

/// The server that a ServerDef describes. As TensorFlow's: NotFound for another protocol than "grpc", Internal for a job or task that its cluster
/// has not, InvalidArgument for a port that is none. Unimplemented for a cluster of several tasks.
absl::StatusOr<GrpcServerOptions> server_options(const tensorflow::ServerDef& def);

}  // namespace troupe
