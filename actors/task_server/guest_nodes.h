#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "actors/node/cluster_node.h"

namespace troupe {

/// The nodes that a server is in clusters that sessions have brought (ConfigProto.cluster_def), one for each cluster and task of it: a server that was
/// started as /job:local/task:0 is /job:worker/task:3 there, with devices of that name and resources of its own. Made when a session, or another
/// server, first asks for one; they stay for the next, and those without sessions go when there are too many. Thread-safe.
class GuestNodes {
 public:
  /// `own`: what guests have as the server's own node has it; they are at `port`. `runtime` outlives this.
  GuestNodes(Runtime* runtime, ClusterNodeOptions own, uint16_t port)
      : runtime_(runtime), own_(std::move(own)), port_(port) {}
  ~GuestNodes() { stop(); }

  /// The server as that task of that cluster. As ClusterNode::start; ResourceExhausted when there are too many that are in use; Cancelled once it has
  /// stopped. Waits for CAF's network a little.
  absl::StatusOr<std::shared_ptr<ClusterNode>> find_or_start(const ClusterSpec& cluster, const TaskId& task);
  /// As another server says it: in words. InvalidArgument, too, when the task is not at the server's port.
  absl::StatusOr<std::shared_ptr<ClusterNode>> invited(const std::string& cluster, const std::string& task);
  void stop();

 private:
  using Key = std::pair<std::string, TaskId>;
  /// Makes room for one more.
  absl::Status make_room();

  Runtime* const runtime_;
  const ClusterNodeOptions own_;
  const uint16_t port_;
  std::mutex mu_;
  // Guarded by mu_.
  bool stopped_ = false;
  std::map<Key, std::shared_ptr<ClusterNode>> nodes_;
};

}  // namespace troupe
