#include "actors/task_server/guest_nodes.h"

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Clusters that sessions have brought, at once.
constexpr size_t kMaxNodes = 64;

}  // namespace

absl::Status GuestNodes::make_room() {
  if (nodes_.size() < kMaxNodes) return absl::OkStatus();
  for (auto node = nodes_.begin(); node != nodes_.end(); ++node) {
    if (node->second.use_count() > 1 || node->second->num_sessions() > 0) continue;
    nodes_.erase(node);
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("the server is in ", nodes_.size(), " clusters that sessions have brought, and enters no more"));
}

absl::StatusOr<std::shared_ptr<ClusterNode>> GuestNodes::find_or_start(const ClusterSpec& cluster,
                                                                       const TaskId& task) {
  std::lock_guard lock(mu_);
  if (stopped_) return absl::CancelledError("the server has stopped");
  const Key key(cluster.to_string(), task);
  if (const auto known = nodes_.find(key); known != nodes_.end()) return known->second;
  TROUPE_RETURN_IF_ERROR(make_room());
  ClusterNodeOptions options = own_;
  options.cluster = cluster;
  options.task = task;
  options.brought_port = port_;
  options.is_guest = true;
  // Of the server's own cluster.
  options.changes.clear();
  options.expelled = nullptr;
  TROUPE_ASSIGN_OR_RETURN(auto node, ClusterNode::start(*runtime_, std::move(options)));
  return nodes_.emplace(key, std::move(node)).first->second;
}

absl::StatusOr<std::shared_ptr<ClusterNode>> GuestNodes::invited(const std::string& words,
                                                                 const std::string& name) {
  TROUPE_ASSIGN_OR_RETURN(const ClusterSpec cluster, ClusterSpec::parse(words));
  const std::optional<TaskId> task = TaskId::parse(name);
  if (!task) return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no task"));
  TROUPE_ASSIGN_OR_RETURN(const TaskAddress address, cluster.address(*task));
  if (address.port != port_) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is at ", address.to_string(), " in that cluster, and this server is at port ", port_));
  }
  return find_or_start(cluster, *task);
}

void GuestNodes::stop() {
  std::map<Key, std::shared_ptr<ClusterNode>> nodes;
  {
    std::lock_guard lock(mu_);
    stopped_ = true;
    nodes = std::exchange(nodes_, {});
  }
}

}  // namespace troupe
