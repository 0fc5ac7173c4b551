#include "actors/node_client/cluster_calls.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/node/node_roster.h"
#include "actors/node_client/node_caller.h"
#include "actors/tls/tls_context.h"
#include "graph/status.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

absl::StatusOr<KnownCluster> ask(const ClusterDoor& door, Method method, absl::StatusOr<absl::Cord> body) {
  TROUPE_RETURN_IF_ERROR(body.status());
  NodeCallerOptions options;
  TROUPE_ASSIGN_OR_RETURN(options.address, TaskAddress::parse(door.address));
  options.target = door.address;
  options.connect_patience = door.patience;
  // As long as the answer may take: a node that many join at once is busy.
  options.lease = {door.patience * 2, door.patience / 5, door.patience};
  TROUPE_ASSIGN_OR_RETURN(options.tls, TlsContext::load(door.tls, TlsUse::kClient));
  NodeCaller node(std::move(options));
  TROUPE_ASSIGN_OR_RETURN(const absl::Cord answer,
                          node.ask_and_wait(method, *std::move(body), door.patience));
  KnownCluster known;
  TROUPE_ASSIGN_OR_RETURN(known.changes, unpack_roster(answer, &known.cluster));
  return known;
}

}  // namespace

absl::StatusOr<KnownCluster> get_cluster(const ClusterDoor& door) {
  return ask(door, Method::kGetCluster, pack_nothing());
}

absl::StatusOr<KnownCluster> join_cluster(const ClusterDoor& door, const TaskId& task,
                                          const std::string& address, bool replace) {
  wire::JoinCluster m;
  m.set_task(task.to_string());
  m.set_address(address);
  m.set_replace(replace);
  return ask(door, Method::kJoinCluster, pack(m));
}

absl::StatusOr<KnownCluster> leave_cluster(const ClusterDoor& door, const TaskId& task) {
  wire::LeaveCluster m;
  m.set_task(task.to_string());
  return ask(door, Method::kLeaveCluster, pack(m));
}

}  // namespace troupe
