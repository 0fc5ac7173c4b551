#include "actors/node/peers.h"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/sockets/dial.h"
#include "devices/services.h"
#include "graph/status.h"

namespace troupe {

std::string NodePeer::name() const {
  if (called) return called->to_string();
  return id ? id->to_string() : "a connection";
}

std::vector<uint64_t> strangers(const std::map<uint64_t, NodePeer>& peers) {
  std::vector<uint64_t> out;
  for (const auto& [serial, peer] : peers) {
    if (!peer.id && !peer.called) out.push_back(serial);
  }
  return out;
}

std::vector<uint64_t> strangers_since(const std::map<uint64_t, NodePeer>& peers,
                                      std::chrono::steady_clock::time_point then) {
  std::vector<uint64_t> out;
  for (const auto& [serial, peer] : peers) {
    if (!peer.id && peer.since < then) out.push_back(serial);
  }
  return out;
}

absl::Status check_client(const std::map<uint64_t, NodePeer>& peers, size_t max_clients) {
  if (max_clients == 0) return absl::PermissionDeniedError("it takes no clients");
  const auto clients =
      std::count_if(peers.begin(), peers.end(), [](const auto& peer) { return peer.second.is_client(); });
  if (static_cast<size_t>(clients) < max_clients) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("it has ", clients, " clients and takes no more"));
}

absl::Status check_peer(const NodePeer& peer, const PeerId& says, const ClusterSpec& cluster) {
  if (peer.called && says.task != peer.called)
    return absl::FailedPreconditionError(absl::StrCat("at its address is ", says.to_string()));
  if (!says.task) return absl::OkStatus();
  const auto address = cluster.address(*says.task);
  if (!address.ok()) {
    return absl::PermissionDeniedError(
        absl::StrCat("it says that it is ", says.to_string(), ": ", address.status().message()));
  }
  return peer.connection->check_host(address->host);
}

Invitation invite(const ClusterSpec& cluster, const std::optional<TaskId>& called) {
  if (!called) return {};
  return {cluster.to_string(), called->to_string()};
}

absl::Status dial_aside(BlockingPool& waiting, caf::actor node, NodeDialed answer, const TaskAddress& address,
                        std::chrono::milliseconds patience) {
  return waiting.run([node = std::move(node), answer = std::move(answer), address,
                      patience]() mutable -> BlockingPool::Answer {
    auto socket = dial(address, patience);
    answer.status = socket.status();
    if (socket.ok()) answer.socket = std::make_shared<Socket>(*std::move(socket));
    caf::anon_send(node, std::move(answer));
    return nullptr;
  });
}

void queue_word(NodePeer* peer, NodeSend word) {
  peer->connection->send(word.message,
                         [task = std::move(word.task), lost = std::move(word.lost)](const absl::Status& why) {
                           if (lost) lost(annotate(why, absl::StrCat(task.to_string(), ": ")));
                         });
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
