#pragma once

#include <memory>
#include <mutex>

#include "actors/grpc_door/grpc_server.h"

namespace troupe {

/// A server whose clients come to a port that is there before it. Thread-safe.
class LateServer {
 public:
  ~LateServer() { stop(); }

  /// Clients are its from now on.
  void set(std::unique_ptr<GrpcServer> server);
  /// A client's connection; closed before `set` and after `stop`: who comes too early comes again.
  void adopt(int socket);
  /// Stops the server, and lets go of it.
  void stop();

 private:
  std::mutex mu_;
  std::shared_ptr<GrpcServer> server_;  // guarded by mu_
};

}  // namespace troupe
