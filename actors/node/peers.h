#pragma once

#include <caf/io/connection_handle.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/node/hello.h"
#include "actors/node/messages.h"
#include "actors/node/peer_connection.h"

namespace troupe {

class BlockingPool;

/// Somebody at the other end of a connection of a NODE, which owns it.
struct NodePeer {
  caf::io::connection_handle handle;
  std::unique_ptr<PeerConnection> connection;
  /// Unset until he has said who he is.
  std::optional<PeerId> id;
  /// The task that was called; nothing when he has come to us.
  std::optional<TaskId> called;
  std::chrono::steady_clock::time_point since;
  /// What we have asked him.
  absl::flat_hash_map<uint64_t, std::function<void(absl::StatusOr<absl::Cord>)>> calls;

  bool is_client() const { return id && !id->task; }
  /// For logs and errors.
  std::string name() const;
};

/// The way of a NODE to a task.
struct NodeLink {
  /// The peer's number, once connected; 0: not yet, or not any more.
  uint64_t peer = 0;
  /// The last attempt to connect; a late one is of no interest.
  uint64_t attempt = 0;
  bool dialing = false;
  /// What waits for the connection.
  std::vector<NodeCall> calls;
  std::vector<NodeSend> words;
};

/// Who has come and not said yet who he is, the first one first.
std::vector<uint64_t> strangers(const std::map<uint64_t, NodePeer>& peers);
/// The same of those who have come before `then`.
std::vector<uint64_t> strangers_since(const std::map<uint64_t, NodePeer>& peers,
                                      std::chrono::steady_clock::time_point then);
/// Whether there is room for one more client. ResourceExhausted, PermissionDenied for a node that takes none.
absl::Status check_client(const std::map<uint64_t, NodePeer>& peers, size_t max_clients);
/// Whether a peer may be who he says he is: the task that was called, any of the cluster, with a certificate of its host where there is TLS, or a client.
/// FailedPrecondition, PermissionDenied.
absl::Status check_peer(const NodePeer& peer, const PeerId& says, const ClusterSpec& cluster);
/// What a guest says to a task that it calls; nothing to who has come to it.
Invitation invite(const ClusterSpec& cluster, const std::optional<TaskId>& called);
/// Connects to a task where one may wait; the node is sent `answer`, with the socket or the error.
absl::Status dial_aside(BlockingPool& waiting, caf::actor node, NodeDialed answer, const TaskAddress& address,
                        std::chrono::milliseconds patience);
/// Queues a word for a peer; when he has no room for it whoever it is of hears, with the task's name.
void queue_word(NodePeer* peer, NodeSend word);
/// Who waits for a peer's answers hears why there are none.
void fail_calls(NodePeer* peer, const absl::Status& why);
/// Who waits for the connection hears why there is none.
void fail_waiting(NodeLink* link, const absl::Status& why);

}  // namespace troupe
