#include "actors/node/peers.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {

TaskId leased(uint64_t serial) { return {absl::StrCat(serial), 0}; }

uint64_t serial_of(const TaskId& leased) {
  uint64_t serial = 0;
  (void)absl::SimpleAtoi(leased.job, &serial);
  return serial;
}

std::vector<uint64_t> strangers(const std::map<uint64_t, NodePeer>& peers) {
  std::vector<uint64_t> out;
  for (const auto& [serial, peer] : peers) {
    if (!peer.id && !peer.called) out.push_back(serial);
  }
  return out;
}

absl::Status check_peer(const NodePeer& peer, const PeerId& says, const ClusterSpec& cluster) {
  if (peer.called && says.task != peer.called)
    return absl::FailedPreconditionError(absl::StrCat("at its address is ", says.to_string()));
  if (!says.task) return absl::PermissionDeniedError("it is no task of the cluster");
  const auto address = cluster.address(*says.task);
  if (!address.ok()) {
    return absl::PermissionDeniedError(
        absl::StrCat("it says that it is ", says.to_string(), ": ", address.status().message()));
  }
  return peer.connection->check_host(address->host);
}

void fail_calls(NodePeer* peer, const absl::Status& why) {
  for (auto& [id, done] : std::exchange(peer->calls, {})) done(why);
}

void fail_waiting(NodeLink* link, const absl::Status& why) {
  link->dialing = false;
  for (NodeCall& c : std::exchange(link->calls, {})) c.done(why);
  for (NodeSend& w : std::exchange(link->words, {})) {
    if (w.lost) w.lost(why);
  }
}

}  // namespace troupe
