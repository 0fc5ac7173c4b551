// GrpcServer of a build without gRPC.
#include <unistd.h>

#include "actors/grpc_door/grpc_server.h"

namespace troupe {

struct GrpcServer::Impl {};

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcServer::~GrpcServer() = default;

bool GrpcServer::available() { return false; }

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::start(Runtime&, const GrpcServerOptions&) {
  return absl::UnimplementedError(
      "This build has no gRPC server: it was built without gRPC (TROUPE_WITH_GRPC, libgrpc++-dev).");
}

int GrpcServer::port() const { return 0; }
std::string GrpcServer::target() const { return ""; }
void GrpcServer::adopt(int socket) { ::close(socket); }
void GrpcServer::stop() {}

}  // namespace troupe
