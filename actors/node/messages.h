#pragma once

#include <caf/actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "actors/cluster/task_id.h"
#include "actors/messages/in_process.h"
#include "actors/node/message.h"
#include "actors/node/word_lost.h"
#include "actors/sockets/socket.h"

namespace troupe {

struct SignatureAlias;

/// A life of a node, or of a client of one.
struct PeerId {
  /// Nothing for a client, which serves no task.
  std::optional<TaskId> task;
  uint64_t incarnation = 0;

  /// For errors: the task's name, or "a client".
  std::string to_string() const { return task ? task->to_string() : "a client"; }
  friend bool operator==(const PeerId&, const PeerId&) = default;
};

/// Answers a request, once, from any thread. Goes nowhere when the connection is gone.
class NodeReply {
 public:
  NodeReply() = default;
  NodeReply(caf::actor node, uint64_t connection, uint64_t id)
      : node_(std::move(node)), connection_(connection), id_(id) {}
  void operator()(const absl::StatusOr<absl::Cord>& body) const;

 private:
  caf::actor node_;
  uint64_t connection_ = 0;
  uint64_t id_ = 0;
};

/// @name To a NODE
/// A question to a task. `done` is called once, on NODE's thread, and must not wait: with the answer's body; with the error that it says;
/// Unavailable, naming the task, when that cannot be reached or is lost; Aborted when another life of it is there.
struct NodeCall {
  TaskId task;
  /// Of the life that is meant; 0: any.
  uint64_t incarnation = 0;
  Method method = Method::kNone;
  absl::Cord body;
  std::function<void(absl::StatusOr<absl::Cord>)> done;
};
/// A word to a task that needs no answer.
struct NodeSend {
  TaskId task;
  NodeMessage message;
  WordLost lost;
};
/// Words wait in the node's NodeSendQueue: NODE takes them all.
struct NodeSends {};
/// The answer to a request that came in.
struct NodeAnswer {
  uint64_t connection = 0;
  uint64_t id = 0;
  std::shared_ptr<const absl::StatusOr<absl::Cord>> body;
};
/// INTERNAL: a connection was made, or why not.
struct NodeDialed {
  TaskId task;
  /// Which was called.
  std::string host;
  uint64_t attempt = 0;
  absl::Status status;
  /// Null where there is none.
  std::shared_ptr<Socket> socket;
};
/// Somebody has connected to the node's address, where somebody else listens.
struct NodeArrived {
  std::shared_ptr<Socket> socket;
};
/// INTERNAL: a value that came on a connection is none.
struct NodeRefuses {
  uint64_t connection = 0;
  absl::Status why;
};
/// Says goodbye to all peers and ends.
struct NodeStop {};

/// What a task says that finishes what it has.
absl::Status draining(const TaskId& task);

/// @name To a WORKER, from its NODE
/// Somebody asks something of it.
struct WorkerRequest {
  PeerId from;
  Method method = Method::kNone;
  absl::Cord body;
  NodeReply reply;
};
/// A peer that had connected to this node is gone: what it had here is nobody's.
struct PeerLost {
  PeerId peer;
  absl::Status why;
};

/// The way to a task is lost, and with it the values that were on it.
struct LinkLost {
  TaskId task;
  absl::Status why;
};

/// @name To a WORKER
/// From its ClusterNode: take no new sessions from now on. Answer: WorkerSessions.
struct WorkerDrain {};
/// From its ClusterNode. Answer: WorkerSessions.
struct WorkerCount {};
/// How many sessions of other masters there are, or are being opened.
struct WorkerSessions {
  size_t number = 0;
};

/// INTERNAL: a value that was sent for a step of a session did not arrive.
struct ValueLost {
  uint64_t session = 0;
  int64_t step = 0;
  absl::Status why;
};
/// INTERNAL: the compile pool is through with a part.
struct PartCompiled {
  uint64_t session = 0;
  /// Whose it is.
  PeerId owner;
  std::shared_ptr<const absl::StatusOr<std::shared_ptr<const SignatureAlias>>> part;
  NodeReply reply;
};

}  // namespace troupe
