#include "tools/bench/cluster_simulation/modelled_node.h"

#include <caf/all.hpp>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/node/hello.h"

namespace troupe::simulation {
namespace {

Load load_of(MessageKind kind) { return kind == MessageKind::kPing ? Load::kHeartbeat : Load::kWork; }

class NodeInPlace final : public caf::event_based_actor {
 public:
  NodeInPlace(caf::actor_config& config, std::shared_ptr<ModelledNode> node)
      : caf::event_based_actor(config), node_(std::move(node)) {}
  const char* name() const override { return "modelled node"; }
  void on_exit() override { node_ = nullptr; }
  caf::behavior make_behavior() override {
    return {
        [this](const NodeCall& m) { node_->call(m); },
        [this](const NodeSends&) { node_->send_words(); },
        [this](const NodeAnswer& m) { node_->answer(m); },
    };
  }

 private:
  std::shared_ptr<ModelledNode> node_;
};

}  // namespace

caf::actor spawn_modelled_node(caf::actor_system& system, std::shared_ptr<ModelledNode> node) {
  return system.spawn<NodeInPlace, caf::hidden>(std::move(node));
}

int64_t Traffic::work() const {
  int64_t n = 0;
  for (int kind = 0; kind < 16; ++kind) {
    if (kind != static_cast<int>(MessageKind::kPing)) n += of(static_cast<MessageKind>(kind));
  }
  return n;
}

ModelledNode::ModelledNode(Fabric* fabric, int host, PeerId me, std::shared_ptr<NodeSendQueue> words,
                           std::shared_ptr<StepDirectory> steps)
    : fabric_(fabric), host_(host), me_(std::move(me)), words_(std::move(words)), steps_(std::move(steps)),
      leases_(fabric->lease, fabric->lease) {
  fabric_->nodes[host_] = this;
}

LeaseTime ModelledNode::time() const {
  return LeaseTime(std::chrono::nanoseconds(kSecond + fabric_->net.time_of_work()));
}

void ModelledNode::begin(caf::actor self, const NodeStaff& staff) {
  self_ = std::move(self);
  staff_ = staff;
  // Nodes are not started at once.
  const Nanos period = std::chrono::nanoseconds(fabric_->lease.period).count();
  wait_for_turn(static_cast<Nanos>(me_.incarnation * 7919 % 1000) * period / 1000);
}

void ModelledNode::end() {
  fabric_->nodes[host_] = nullptr;
  peers_.clear();
  links_.clear();
  staff_ = {};
  self_ = nullptr;
}

// --- connections ---

void ModelledNode::connect(const TaskId& task, Link* link) {
  if (link->dialing || link->connection != 0) return;
  link->dialing = true;
  const uint64_t attempt = ++link->attempt;
  Fabric* const fabric = fabric_;
  const int from = host_, to = fabric->hosts.at(task);
  const uint64_t life = me_.incarnation;
  VirtualNetwork& net = fabric->net;
  const auto tell = [=](Nanos when, const absl::Status& status) {
    fabric->net.at(when, [=] {
      ModelledNode* const me = fabric->nodes[from];
      if (me == nullptr || me->me_.incarnation != life) return;
      fabric->net.work(from, Load::kWork, [&] { me->dialed(task, attempt, status); });
    });
  };
  // The system of the other host answers, without its process.
  const Nanos reached = net.time_of_work() + net.model().latency;
  net.at(reached, [=] {
    if (!fabric->net.is_there(to))
      return tell(reached + fabric->connect_patience, absl::UnavailableError("Connection timed out"));
    const bool serves = fabric->nodes[to] != nullptr;
    tell(reached + fabric->net.model().latency,
         serves ? absl::OkStatus() : absl::UnavailableError("Connection refused"));
  });
}

void ModelledNode::dialed(const TaskId& task, uint64_t attempt, const absl::Status& status) {
  Link& link = links_[task];
  if (attempt != link.attempt || !link.dialing) return;
  if (!status.ok()) {
    fail_waiting(&link, absl::UnavailableError(absl::StrCat(task.to_string(), ": ", status.message())));
    if (on_lost) on_lost(task);
    return;
  }
  link.connection = ++fabric_->last_connection;
  Peer& peer = peers_[link.connection];
  peer.host = fabric_->hosts.at(task);
  peer.called = task;
  leases_.watch(link.connection, time());
  write(link.connection, {0, MessageKind::kHello, Method::kNone, 0, pack_hello(me_, "10.0.0.1:1")});
}

void ModelledNode::meet(uint64_t connection, Peer* peer, const Packet& m) {
  peer->id = *unpack_hello(m.body);
  if (!peer->called) {
    write(connection, {0, MessageKind::kHello, Method::kNone, 0, pack_hello(me_, "10.0.0.1:1")});
    return;
  }
  Link& link = links_[*peer->called];
  link.dialing = false;
  for (const NodeCall& c : std::exchange(link.calls, {})) put_question(connection, c);
  for (const NodeSend& w : std::exchange(link.words, {})) write_word(connection, w);
}

void ModelledNode::lose(uint64_t connection, const absl::Status& why) {
  auto gone = peers_.extract(connection);
  if (gone.empty()) return;
  Peer& peer = gone.mapped();
  leases_.forget(connection);
  const std::string name = peer.called ? peer.called->to_string()
                           : peer.id   ? peer.id->to_string()
                                       : "a connection";
  const absl::Status lost = absl::UnavailableError(absl::StrCat(name, " is lost: ", why.message()));
  if (peer.called) {
    Link& link = links_[*peer.called];
    if (link.connection == connection) link.connection = 0;
    fail_waiting(&link, lost);
    caf::anon_send(staff_.worker, LinkLost{*peer.called, lost});
  } else if (peer.id) {
    caf::anon_send(staff_.worker, PeerLost{*peer.id, lost});
  }
  for (auto& [id, question] : std::exchange(peer.questions, {})) question(lost);
  if (peer.called && on_lost) on_lost(*peer.called);
}

void ModelledNode::fail_waiting(Link* link, const absl::Status& why) {
  link->dialing = false;
  for (const NodeCall& c : std::exchange(link->calls, {})) c.done(why);
  for (const NodeSend& w : std::exchange(link->words, {})) w.lost(why);
}

std::map<uint64_t, int> ModelledNode::connections() const {
  std::map<uint64_t, int> out;
  for (const auto& [connection, peer] : peers_) out[connection] = peer.host;
  return out;
}

// --- what goes ---

void ModelledNode::write(uint64_t connection, Packet m) {
  m.connection = connection;
  ++traffic_.sent[static_cast<int>(m.kind)];
  const int from = host_, to = peers_.at(connection).host;
  const size_t bytes = m.body.size();
  const Load load = load_of(m.kind);
  fabric_->net.send(from, to, bytes, load, [fabric = fabric_, from, to, m = std::move(m)] {
    if (ModelledNode* const node = fabric->nodes[to]) node->receive(from, m);
  });
}

void ModelledNode::call(NodeCall m) {
  if (!self_) return m.done(absl::CancelledError("the node has ended"));
  if (m.method == Method::kGetStatus || m.method == Method::kCreateWorkerSession) {
    ++*questions_of_opening_;
    m.done = [open = questions_of_opening_, done = std::move(m.done)](absl::StatusOr<absl::Cord> answer) {
      --*open;
      done(std::move(answer));
    };
  }
  Link& link = links_[m.task];
  if (link.connection != 0 && peers_[link.connection].id) return put_question(link.connection, m);
  link.calls.push_back(m);
  connect(m.task, &link);
}

void ModelledNode::put_question(uint64_t connection, const NodeCall& m) {
  Peer& peer = peers_[connection];
  if (m.incarnation != 0 && m.incarnation != peer.id->incarnation) {
    return m.done(absl::AbortedError(
        absl::StrCat(m.task.to_string(), " has been started again: what it had for this session is lost")));
  }
  const uint64_t id = ++last_question_;
  peer.questions[id] = m.done;
  write(connection, {0, MessageKind::kRequest, m.method, id, m.body});
}

void ModelledNode::send_words() {
  for (NodeSend& m : words_->take()) {
    if (!self_) return;
    Link& link = links_[m.task];
    if (link.connection != 0 && peers_[link.connection].id) {
      write_word(link.connection, m);
      continue;
    }
    const TaskId task = m.task;
    link.words.push_back(std::move(m));
    connect(task, &link);
  }
}

void ModelledNode::write_word(uint64_t connection, const NodeSend& m) {
  write(connection, {0, m.message.kind, m.message.method, 0, m.message.body});
}

void ModelledNode::answer(const NodeAnswer& m) {
  if (!peers_.contains(m.connection)) return;
  write(m.connection, {0, MessageKind::kReply, Method::kNone, m.id, pack_answer(*m.body)});
}

// --- what comes ---

void ModelledNode::receive(int from, const Packet& m) {
  ++traffic_.received[static_cast<int>(m.kind)];
  auto found = peers_.find(m.connection);
  if (found == peers_.end()) {
    // Of a connection that has been lost since.
    if (m.kind != MessageKind::kHello) return;
    found = peers_.emplace(m.connection, Peer{from, std::nullopt, std::nullopt, {}}).first;
    leases_.watch(m.connection, time());
  }
  Peer& peer = found->second;
  leases_.heard(m.connection, time());
  switch (m.kind) {
    case MessageKind::kPing: return;
    case MessageKind::kHello: return meet(m.connection, &peer, m);
    case MessageKind::kRequest:
      return caf::anon_send(staff_.worker,
                            WorkerRequest{*peer.id, m.method, m.body, NodeReply(self_, m.connection, m.id)});
    case MessageKind::kReply: return answered(&peer, m);
    case MessageKind::kPush: return (void)steps_->deliver({m.body});
    case MessageKind::kBye: return lose(m.connection, absl::CancelledError("it has left"));
    default: return;
  }
}

void ModelledNode::answered(Peer* peer, const Packet& m) {
  auto question = peer->questions.extract(m.id);
  if (question.empty()) return;
  const auto answer = unpack_answer(m.body);
  question.mapped()(answer.ok() ? *answer : answer.status());
}

// --- leases ---

void ModelledNode::wait_for_turn(Nanos time) {
  Fabric* const fabric = fabric_;
  const int host = host_;
  const uint64_t life = me_.incarnation;
  fabric->net.at(fabric->net.now() + time, [=] {
    ModelledNode* const me = fabric->nodes[host];
    if (me == nullptr || me->me_.incarnation != life) return;
    fabric->net.work(host, Load::kHeartbeat, [&] { me->turn(); });
    me->wait_for_turn(std::chrono::nanoseconds(fabric->lease.period).count());
  });
}

void ModelledNode::turn() {
  for (const auto& [connection, peer] : peers_) {
    if (peer.id) write(connection, {});
  }
  for (const PeerLeases::Expired& e : leases_.turn(time())) {
    lose(e.connection,
         absl::UnavailableError(absl::StrCat("it has not been heard of for ", e.silence.count(), " ms")));
  }
}

void ModelledNode::leave() {
  for (const auto& [connection, peer] : peers_) {
    if (peer.id) write(connection, {0, MessageKind::kBye, Method::kNone, 0, {}});
  }
}

}  // namespace troupe::simulation
