#include "actors/task_server/brought_clusters.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "actors/cluster/cluster_proto.h"
#include "actors/session.h"
#include "graph/status.h"

#include "proto/config.pb.h"

namespace troupe {
namespace {

/// What one node says to another first has 4 KiB at most.
constexpr size_t kMaxWords = 3500;

/// The task at that address.
absl::StatusOr<TaskId> task_at(const tensorflow::ClusterDef& cluster, absl::string_view address) {
  std::vector<TaskId> found;
  for (const tensorflow::JobDef& job : cluster.job()) {
    for (const auto& [index, at] : job.tasks()) {
      if (at == address) found.push_back({job.name(), index});
    }
  }
  if (found.size() == 1) return found[0];
  return absl::InvalidArgumentError(absl::StrCat(
      "The ClusterSpec of the session has ", found.size(), " tasks at ", address,
      ", the address of the master that was called: exactly one is expected"));
}

absl::Status check_task(const TaskId& task, const TaskId& own) {
  if (task != own) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "The ClusterSpec names the job and task index to be the same names that were provided when the server "
      "booted. This is currently not allowed. Job: ",
      own.job, ", task index: ", own.index));
}

absl::Status check_length(const ClusterSpec& cluster) {
  const size_t size = cluster.to_string().size();
  if (size <= kMaxWords) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("The ClusterSpec of the session has ", cluster.num_tasks(),
                                                 " tasks, which take ", size, " bytes in words: at most ",
                                                 kMaxWords, " are expected"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> BroughtClusters::new_session(const SessionOptions& options) {
  tensorflow::ConfigProto config;
  if (!config.ParseFromString(options.config))
    return absl::InvalidArgumentError("the session's config is no ConfigProto");
  const std::string called(absl::StripPrefix(options.target.substr(target_.size()), "grpc://"));
  TROUPE_ASSIGN_OR_RETURN(const TaskId task, task_at(config.cluster_def(), called));
  TROUPE_RETURN_IF_ERROR(check_task(task, own_));
  TROUPE_ASSIGN_OR_RETURN(const ClusterSpec cluster, from_proto(config.cluster_def()));
  TROUPE_RETURN_IF_ERROR(check_length(cluster));
  TROUPE_ASSIGN_OR_RETURN(const std::shared_ptr<ClusterNode> node, guests_->find_or_start(cluster, task));
  SessionOptions here = options;
  config.clear_cluster_def();
  config.set_isolate_session_state(config.isolate_session_state() ||
                                   !config.experimental().share_session_state_in_clusterspec_propagation());
  here.config = config.SerializeAsString();
  here.target.clear();
  std::erase_if(here.without_meaning, [](const std::string& text) {
    return text.starts_with("cluster_def") ||
           text.starts_with("experimental.share_session_state_in_clusterspec_propagation");
  });
  return node->open_session(here);
}

}  // namespace troupe
