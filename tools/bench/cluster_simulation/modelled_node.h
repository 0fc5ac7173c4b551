#pragma once

#include <caf/actor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/node/messages.h"
#include "actors/node/node_staff.h"
#include "actors/node/peer_leases.h"
#include "actors/node/send_queue.h"
#include "actors/node/step_directory.h"
#include "tools/bench/cluster_simulation/virtual_network.h"

namespace troupe::simulation {

class ModelledNode;

/// Which node is where now. One thread's, as all of a simulation.
struct Fabric {
  VirtualNetwork net;
  LeaseOptions lease;
  /// How long who calls a host that says nothing waits.
  Nanos connect_patience = 2 * kSecond;
  /// By host; null while nobody serves.
  std::vector<ModelledNode*> nodes;
  absl::flat_hash_map<TaskId, int> hosts;
  uint64_t last_connection = 0;
};

/// What has come to a node and left it, by kind of message (actors/node/message.h).
struct Traffic {
  int64_t sent[16] = {};
  int64_t received[16] = {};
  int64_t of(MessageKind kind) const {
    return sent[static_cast<int>(kind)] + received[static_cast<int>(kind)];
  }
  /// All but heartbeats.
  int64_t work() const;
};

/// A life of a task's NODE over a modelled network: it takes the same messages, and does what NODE does with them (actors/node/node_actor.cc): a connection
/// to each task that it calls, one from each that calls it, leases of both, questions and their answers. Its host does all that as work.
class ModelledNode {
 public:
  ModelledNode(Fabric* fabric, int host, PeerId me, std::shared_ptr<NodeSendQueue> words,
               std::shared_ptr<StepDirectory> steps);

  /// @name What NODE is told
  void call(NodeCall m);
  /// Those that wait.
  void send_words();
  void answer(const NodeAnswer& m);
  /// Who gets the requests; begins to keep leases.
  void begin(caf::actor self, const NodeStaff& staff);
  /// Says goodbye to all peers.
  void leave();
  /// Its process is gone: whoever waits for it hears nothing from here.
  void end();

  const PeerId& me() const { return me_; }
  const Traffic& traffic() const { return traffic_; }
  size_t num_connections() const { return peers_.size(); }
  /// GetStatus and CreateWorkerSession, that have no answer yet: somebody waits for them.
  int questions_of_opening() const { return *questions_of_opening_; }
  /// Called when a task that this one has called, or would call, is lost.
  std::function<void(const TaskId& task)> on_lost;

  /// @name From the network
  struct Packet {
    uint64_t connection = 0;
    MessageKind kind = MessageKind::kPing;
    Method method = Method::kNone;
    uint64_t id = 0;
    absl::Cord body;
  };
  void receive(int from, const Packet& m);
  /// Its connections, with the host at the other end: for who closes them.
  std::map<uint64_t, int> connections() const;
  void closed(uint64_t connection) { lose(connection, absl::UnavailableError("the connection was closed")); }

 private:
  using Done = std::function<void(absl::StatusOr<absl::Cord>)>;
  struct Peer {
    int host = 0;
    /// Unset until he has said who he is.
    std::optional<PeerId> id;
    /// The task that was called.
    std::optional<TaskId> called;
    std::map<uint64_t, Done> questions;
  };
  struct Link {
    uint64_t connection = 0;
    uint64_t attempt = 0;
    bool dialing = false;
    std::vector<NodeCall> calls;
    std::vector<NodeSend> words;
  };

  LeaseTime time() const;
  void write(uint64_t connection, Packet m);
  void connect(const TaskId& task, Link* link);
  void dialed(const TaskId& task, uint64_t attempt, const absl::Status& status);
  void put_question(uint64_t connection, const NodeCall& m);
  void write_word(uint64_t connection, const NodeSend& m);
  void meet(uint64_t connection, Peer* peer, const Packet& m);
  void answered(Peer* peer, const Packet& m);
  void lose(uint64_t connection, const absl::Status& why);
  void fail_waiting(Link* link, const absl::Status& why);
  void turn();
  void wait_for_turn(Nanos time);

  Fabric* const fabric_;
  const int host_;
  const PeerId me_;
  const std::shared_ptr<NodeSendQueue> words_;
  const std::shared_ptr<StepDirectory> steps_;
  caf::actor self_;
  NodeStaff staff_;
  Traffic traffic_;
  std::map<uint64_t, Peer> peers_;
  std::map<TaskId, Link> links_;
  PeerLeases leases_;
  uint64_t last_question_ = 0;
  const std::shared_ptr<int> questions_of_opening_ = std::make_shared<int>(0);
};

/// The actor in NODE's place: hands what it is told to the model, for as long as that has not ended.
caf::actor spawn_modelled_node(caf::actor_system& system, std::shared_ptr<ModelledNode> node);

}  // namespace troupe::simulation
