#pragma once

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
#include "actors/node/node_line.h"
#include "actors/node/socket_events.h"

namespace troupe {

class BlockingPool;

/// Somebody at the other end of a connection of a NODE, which owns it.
struct NodePeer {
  std::shared_ptr<NodeLine> line;
  /// Tells NODE about the line; ends before it.
  SocketEvents::Watch events;
  /// Unset until he has said who he is.
  std::optional<PeerId> id;
  /// Where he says that he listens; empty for a client.
  std::string address;
  /// The task that was called; nothing when he has come to us.
  std::optional<TaskId> called;
  std::chrono::steady_clock::time_point since;
  /// What we have asked him.
  absl::flat_hash_map<uint64_t, std::function<void(absl::StatusOr<absl::Cord>)>> calls;

  bool is_client() const { return id && !id->task; }
  /// For logs and errors.
  std::string name() const;
};

/// How long who has connected may take to say who he is.
inline constexpr std::chrono::seconds kHelloPatience{5};
/// So many may be connected who have not said yet who they are: when there are more the first of them goes.
inline constexpr size_t kMaxStrangers = 256;

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
/// Those that are, or were called as, a task which listens elsewhere now, or nowhere: `cluster` says where.
std::vector<uint64_t> peers_elsewhere(const std::map<uint64_t, NodePeer>& peers, const TaskId& task,
                                      const ClusterSpec& cluster);
/// A word about the roster to each task of the cluster but `me` that is not among the peers.
std::vector<NodeSend> words_to_others(const std::map<uint64_t, NodePeer>& peers, const ClusterSpec& cluster,
                                      const TaskId& me, const absl::Cord& about_roster);
/// Writes what is queued for a peer, as much as his socket takes now. An error is none for who has something to say: the socket tells, too.
absl::Status flush_peer(NodePeer* peer);
/// Queues a question for a peer who is known, by that number: its `done` hears, besides the answer, Aborted when another life of the task is there, and when he
/// has no room for it.
void queue_question(NodePeer* peer, uint64_t id, NodeCall call);
/// A peer answers; who waits hears it, where large answers are read aside. InvalidArgument for what is no answer to a question.
absl::Status hear_answer(NodePeer* peer, const NodeMessage& answer, BlockingPool& waiting);
/// Queues a word for a peer; when he has no room for it whoever it is of hears, with the task's name.
void queue_word(NodePeer* peer, NodeSend word);
/// Who waits for a peer's answers hears why there are none.
void fail_calls(NodePeer* peer, const absl::Status& why);

}  // namespace troupe
