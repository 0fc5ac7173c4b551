#include "actors/grpc_door/session_config.h"

#include "graph/status.h"

namespace troupe {

absl::StatusOr<SessionOptions> session_options(const tensorflow::ConfigProto& defaults,
                                               const tensorflow::ConfigProto& asked, bool over_tasks) {
  if (asked.session_inter_op_thread_pool_size() > 0)
    return absl::InvalidArgumentError("Distributed session does not support session thread pool options.");
  tensorflow::ConfigProto config = defaults;
  config.MergeFrom(asked);
  if (!over_tasks) {
    // All sessions share the server's devices, which a filter cannot make fewer; isolation is the server's to give.
    config.clear_device_filters();
    config.clear_isolate_session_state();
  }
  return SessionOptions::from_config(config.SerializeAsString());
}

}  // namespace troupe
