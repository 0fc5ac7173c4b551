#pragma once

#include <caf/actor.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/node/messages.h"

namespace troupe {

class BlockingPool;

/// The ways of a NODE to other tasks: to whom it is connected, who is being called, and what waits for them meanwhile. NODE's thread.
class NodeLinks {
 public:
  /// Tasks are called where one may wait, each for `patience`; `node` is sent NodeDialed then.
  NodeLinks(caf::actor node, BlockingPool* waiting, std::chrono::milliseconds patience)
      : node_(std::move(node)), waiting_(waiting), patience_(patience) {}

  /// The number of the peer that was called as the task, who may not have said yet who he is; 0: it is not connected.
  uint64_t peer_of(const TaskId& task) const;
  /// Keeps it until the task is there, which is called at that address, if it is not already. Who waits hears why there is none.
  void await(NodeCall call, const absl::StatusOr<TaskAddress>& address);
  void await(NodeSend word, const absl::StatusOr<TaskAddress>& address);
  /// Whether a call that was made is of interest still, and has come through: `connected` is to follow.
  bool dialed(const NodeDialed& m);
  void connected(const TaskId& task, uint64_t peer);
  struct Waiting {
    std::vector<NodeCall> calls;
    std::vector<NodeSend> words;
  };
  /// What has waited for the task, which has said who it is.
  Waiting take(const TaskId& task);
  /// That connection is no more; what waits for the task fails.
  void lose(const TaskId& task, uint64_t peer, const absl::Status& why);
  /// The task is elsewhere, or nowhere: who is being called as it is not it.
  void hang_up(const TaskId& task, const absl::Status& why);
  /// For ever.
  void lose_all(const absl::Status& why);

 private:
  struct Link {
    uint64_t peer = 0;
    /// The last attempt to connect; a late one is of no interest.
    uint64_t attempt = 0;
    bool dialing = false;
    Waiting waiting;
  };
  void call(const TaskId& task, Link* link, const absl::StatusOr<TaskAddress>& address);
  static void fail(Link* link, const absl::Status& why);

  caf::actor node_;
  BlockingPool* const waiting_;
  const std::chrono::milliseconds patience_;
  std::map<TaskId, Link> links_;
};

}  // namespace troupe
