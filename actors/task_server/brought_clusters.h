#pragma once

#include <memory>
#include <string>

#include "actors/session_factory.h"
#include "actors/task_server/guest_nodes.h"

namespace troupe {

/// Opens sessions over the clusters that they bring in ConfigProto.cluster_def, whose master is this server: as a task of that cluster, which is the one
/// at the address by which the client has called (TensorFlow's ClusterSpec propagation). Thread-safe.
class BroughtClusters final : public SessionFactory {
 public:
  /// `own`: the task that the server was started as. Accepts `target` + "/" + the address by which the client has called, "grpc://HOST:PORT".
  BroughtClusters(std::shared_ptr<GuestNodes> guests, TaskId own, std::string target)
      : guests_(std::move(guests)), own_(std::move(own)), target_(std::move(target) + "/") {}

  bool accepts(const SessionOptions& options) const override { return options.target.starts_with(target_); }
  /// Sessions have resources of their own on all tasks, unless ConfigProto.experimental.share_session_state_in_clusterspec_propagation says otherwise.
  /// InvalidArgument for a cluster that is none, in which the address is no task's, or several tasks', or in which the task is the one that
  /// the server was started as; else as ClusterNode::open_session.
  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) override;

 private:
  const std::shared_ptr<GuestNodes> guests_;
  const TaskId own_;
  const std::string target_;
};

}  // namespace troupe
