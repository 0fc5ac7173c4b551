#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/cluster/roster.h"
#include "actors/tls/tls_options.h"

namespace troupe {

/// Any node of the cluster that is meant; it tells the others.
struct ClusterDoor {
  /// "HOST:PORT", where it listens.
  std::string address;
  /// What is shown to it; with files the connection is by TLS, and the node has to have a certificate of that host.
  TlsOptions tls;
  /// How long it is tried to reach it, and how long its answer may take.
  std::chrono::milliseconds patience{5000};
};

/// What a node knows of its cluster.
struct KnownCluster {
  ClusterSpec cluster;
  /// Since it was started, for ClusterNodeOptions::changes.
  std::vector<RosterChange> changes;
};

/// @name What is asked of a node by who is none
/// They wait for the answer. InvalidArgument for an address that is none; as TlsIdentity::load; Unavailable, which names the address, when nobody answers there.
absl::StatusOr<KnownCluster> get_cluster(const ClusterDoor& door);
/// Who listens at `address`, or is about to, serves the task from now on, which the cluster need not have had: sessions that open wait for it.
/// AlreadyExists when another address has the task, unless it is to be replaced, or another task the address. Who was replaced is heard by nobody any more:
/// sessions that have parts there lose them.
absl::StatusOr<KnownCluster> join_cluster(const ClusterDoor& door, const TaskId& task,
                                          const std::string& address, bool replace = false);
/// The cluster has the task no more, whoever serves it: sessions that open do not wait for it. NotFound when it had not.
absl::StatusOr<KnownCluster> leave_cluster(const ClusterDoor& door, const TaskId& task);

}  // namespace troupe
