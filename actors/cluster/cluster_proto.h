#pragma once

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"

namespace tensorflow {
class ClusterDef;
class ServerDef;
}  // namespace tensorflow

namespace troupe {

namespace pb = ::tensorflow;

/// InvalidArgument for what `ClusterSpec::add` refuses, and for a job that is named twice.
absl::StatusOr<ClusterSpec> from_proto(const pb::ClusterDef& proto);
void to_proto(const ClusterSpec& cluster, pb::ClusterDef* out);

/// What one server of a cluster is started with, read from a ServerDef.
struct ServerSpec {
  ClusterSpec cluster;
  TaskId task;
  /// Where this task listens: that of the cluster, with the ServerDef's own port if it names one.
  TaskAddress address;
};

/// InvalidArgument for a malformed cluster or port; Internal for a task that the cluster does not have.
absl::StatusOr<ServerSpec> from_proto(const pb::ServerDef& proto);

}  // namespace troupe
