#pragma once

#include <caf/actor.hpp>

#include <string>

#include "actors/node/messages.h"
#include "actors/node/peers.h"

namespace troupe {

class BlockingPool;

/// Who does what others ask of a NODE; told to it once they are there.
struct NodeStaff {
  /// For tasks, and for who is none.
  caf::actor worker;
  caf::actor clients;

  /// Hands a request of that connection's peer, who is known, to who is to answer it; large parts are read where one may wait. Unavailable, to him, when
  /// nobody works yet; `task`: the node's.
  void hand_on(const PeerId& from, uint64_t connection, const NodeMessage& m, const NodeReply& reply,
               BlockingPool& pool, const TaskId& task) const;
  /// Those who have something of a peer that is lost hear so.
  void tell_lost(const NodePeer& peer, uint64_t connection, const absl::Status& why) const;
};

/// Who gets the requests of a NODE from now on. Until then they are Unavailable.
void set_worker(const caf::actor& node, const caf::actor& worker, const caf::actor& clients);

}  // namespace troupe
