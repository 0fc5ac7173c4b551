#include "actors/cluster/cluster_proto.h"

#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

#include "proto/cluster.pb.h"
#include "proto/tensorflow_server.pb.h"

namespace troupe {

absl::StatusOr<ClusterSpec> from_proto(const pb::ClusterDef& proto) {
  ClusterSpec cluster;
  std::set<std::string> jobs;
  for (const pb::JobDef& job : proto.job()) {
    if (!jobs.insert(job.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("Duplicate job ID in cluster specification: ", job.name()));
    }
    for (const auto& [index, address] : std::map<int, std::string>(job.tasks().begin(), job.tasks().end())) {
      TROUPE_RETURN_IF_ERROR(cluster.add({job.name(), index}, address));
    }
  }
  return cluster;
}

void to_proto(const ClusterSpec& cluster, pb::ClusterDef* out) {
  out->Clear();
  for (const auto& [name, tasks] : cluster.jobs()) {
    pb::JobDef* job = out->add_job();
    job->set_name(name);
    for (const auto& [index, address] : tasks) (*job->mutable_tasks())[index] = address.to_string();
  }
}

absl::StatusOr<ServerSpec> from_proto(const pb::ServerDef& proto) {
  ServerSpec server;
  server.task = {proto.job_name(), proto.task_index()};
  TROUPE_ASSIGN_OR_RETURN(server.cluster, from_proto(proto.cluster()));
  TROUPE_ASSIGN_OR_RETURN(server.address, server.cluster.address(server.task));
  if (proto.port() < 0 || proto.port() > std::numeric_limits<uint16_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("ServerDef of ", server.task.to_string(), " has port ",
                                                   proto.port(), ", expected 0 to 65535"));
  }
  if (proto.port() != 0) server.address.port = static_cast<uint16_t>(proto.port());
  return server;
}

}  // namespace troupe
