#include "actors/task_server/late_server.h"

#include <unistd.h>

#include <utility>

namespace troupe {

void LateServer::set(std::unique_ptr<GrpcServer> server) {
  std::lock_guard lock(mu_);
  server_ = std::move(server);
}

void LateServer::adopt(int socket) {
  std::shared_ptr<GrpcServer> server;
  {
    std::lock_guard lock(mu_);
    server = server_;
  }
  if (server == nullptr)
    ::close(socket);
  else
    server->adopt(socket);
}

void LateServer::stop() {
  std::shared_ptr<GrpcServer> server;
  {
    std::lock_guard lock(mu_);
    server = std::exchange(server_, nullptr);
  }
  if (server != nullptr) server->stop();
}

}  // namespace troupe
