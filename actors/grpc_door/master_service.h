#pragma once

#include <memory>

#include <grpcpp/impl/codegen/service_type.h>

#include "actors/grpc_door/door_actor.h"

namespace troupe {

/// TensorFlow's MasterService: takes calls from gRPC's threads, which it never holds, and hands them on: runs to their session, what changes
/// sessions to the DOOR.
class MasterService {
 public:
  /// Lives until the server that it is registered with is gone.
  virtual ~MasterService() = default;
  virtual ::grpc::Service& service() = 0;
  /// Answers all calls that are still open.
  virtual void finish_all(const absl::Status& status) = 0;
};

std::unique_ptr<MasterService> make_master_service(DoorActor door, std::shared_ptr<DoorSessions> sessions);

}  // namespace troupe
