#include "actors/node/node_actor.h"

#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <spdlog/spdlog.h>

#include <future>
#include <map>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/node/hello.h"
#include "actors/node/node_staff.h"
#include "actors/node/peer_leases.h"
#include "actors/node/peers.h"
#include "actors/node/read_aside.h"
#include "actors/node/send_queue.h"
#include "devices/services.h"
#include "graph/status.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

/// How long who has connected may take to say who he is.
constexpr std::chrono::seconds kHelloPatience{5};
/// So many may be connected who have not said yet who they are: when there are more the first of them goes.
constexpr size_t kMaxStrangers = 256;
constexpr size_t kReadBytes = size_t{256} << 10;

class NodeImpl final : public caf::io::broker {
 public:
  /// Told once: the port, or why there is none.
  using Listening = std::shared_ptr<std::promise<absl::StatusOr<uint16_t>>>;

  NodeImpl(caf::actor_config& config, TaskAddress address, NodeParts parts, Listening listening)
      : caf::io::broker(config), parts_(std::move(parts)), address_(std::move(address)),
        listening_(std::move(listening)), leases_(parts_.lease, parts_.client_lease) {}

  const char* name() const override { return "node"; }

  void on_exit() override {
    const absl::Status ended = absl::CancelledError("the node has ended");
    for (auto& [task, link] : std::exchange(links_, {})) fail_waiting(&link, ended);
    for (auto& [serial, peer] : std::exchange(peers_, {})) fail_calls(&peer, ended);
    staff_ = {};
    // What others of its steps know may refer to this actor, and would keep it for ever.
    parts_ = {};
  }

  /// A broker's own leaves its mailbox open (CAF 0.17.6): questions that come later would stay there, and nobody would hear that they have no answer.
  bool cleanup(caf::error&& why, caf::execution_unit* unit) override {
    close_all();
    return caf::scheduled_actor::cleanup(std::move(why), unit);
  }

  caf::behavior make_behavior() override {
    const absl::StatusOr<uint16_t> port = listen();
    listening_->set_value(port);
    if (!port.ok()) {
      quit();
      return {};
    }
    turn();
    return {
        [this](const caf::io::new_connection_msg& m) { accepted(m.handle); },
        [this](const caf::io::new_data_msg& m) { read(m); },
        [this](const caf::io::connection_closed_msg& m) { closed(m.handle); },
        [this](const caf::io::acceptor_closed_msg&) {},
        [this](const NodeCall& m) { call(m); },
        [this](const NodeSends& m) { send_words(m.queue->take()); },
        [this](const NodeAnswer& m) { answer(m); },
        [this](const NodeDialed& m) { dialed(m); },
        [this](const NodeArrived& m) { accepted(add_scribe(m.socket->release())); },
        [this](const NodeRefuses& m) { drop(m.connection, m.why); },
        [this](NodeTurn) { turn(); },
        [this](const NodeStaff& m) { staff_ = m; },
        [this](NodeStop) { stop(); },
    };
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  using Peer = NodePeer;
  using Link = NodeLink;

  absl::StatusOr<uint16_t> listen() {
    if (!parts_.listens) return address_.port;
    auto door = add_tcp_doorman(address_.port, address_.host.c_str(), true);
    if (!door) return absl::UnavailableError(absl::StrCat("cannot listen on ", address_.to_string()));
    address_.port = door->second;
    return address_.port;
  }

  static Time now() { return std::chrono::steady_clock::now(); }
  // --- connections ---

  /// `host`: of the task that was called; "" of who has come.
  uint64_t add_peer(caf::io::connection_handle handle, const std::string& host) {
    const uint64_t serial = ++last_peer_;
    Peer& peer = peers_[serial];
    peer.handle = handle;
    peer.connection = std::make_unique<PeerConnection>(parts_.limits, parts_.tls, host, parts_.memory);
    peer.since = now();
    serials_[handle.id()] = serial;
    configure_read(handle, caf::io::receive_policy::at_most(kReadBytes));
    leases_.watch(serial, now());
    return serial;
  }

  void accepted(caf::io::connection_handle handle) {
    const std::vector<uint64_t> unknown = strangers(peers_);
    if (unknown.size() >= kMaxStrangers) drop(unknown.front(), absl::UnavailableError("others have come"));
    if (peers_.size() < parts_.max_connections) return (void)add_peer(handle, "");
    spdlog::warn("node {}: it has {} connections and takes no more", parts_.task.to_string(), peers_.size());
    close(handle);
  }

  void say_hello(uint64_t serial) {
    const Invitation invitation =
        parts_.is_guest ? invite(parts_.cluster, peers_[serial].called) : Invitation();
    write(serial, {MessageKind::kHello, Method::kNone, 0,
                   pack_hello({parts_.task, parts_.incarnation}, address_.to_string(), invitation)});
  }

  void write(uint64_t serial, const NodeMessage& message, Connection::Refused refused = nullptr) {
    Peer& peer = peers_[serial];
    peer.connection->send(message, std::move(refused));
    flush_peer(&peer);
  }

  void flush_peer(Peer* peer) {
    peer->connection->fill(&wr_buf(peer->handle));
    flush(peer->handle);
  }

  void read(const caf::io::new_data_msg& m) {
    const auto found = serials_.find(m.handle.id());
    if (found == serials_.end()) return;
    const uint64_t serial = found->second;
    std::vector<NodeMessage> arrived;
    const absl::Status good = peers_[serial].connection->feed({m.buf.data(), m.buf.size()}, &arrived);
    leases_.heard(serial, now());
    for (const NodeMessage& message : arrived) {
      if (absl::Status taken = take(serial, message); !taken.ok()) return drop(serial, taken);
      if (!peers_.contains(serial)) return;
    }
    // Acknowledged pieces make room for the next; and who is refused hears why.
    flush_peer(&peers_[serial]);
    if (!good.ok()) drop(serial, good);
  }

  void closed(caf::io::connection_handle handle) {
    if (const auto found = serials_.find(handle.id()); found != serials_.end())
      lose(found->second, absl::UnavailableError("the connection was closed"));
  }

  void drop(uint64_t serial, const absl::Status& why) {
    const auto found = peers_.find(serial);
    if (found == peers_.end()) return;
    close(found->second.handle);
    lose(serial, why);
  }

  /// Forgets a peer; who waits for him hears why.
  void lose(uint64_t serial, const absl::Status& why) {
    auto gone = peers_.extract(serial);
    if (gone.empty()) return;
    Peer& peer = gone.mapped();
    serials_.erase(peer.handle.id());
    leases_.forget(serial);
    const absl::Status lost = absl::UnavailableError(absl::StrCat(peer.name(), " is lost: ", why.message()));
    if (peer.called) {
      Link& link = links_[*peer.called];
      if (link.peer == serial) link.peer = 0;
      fail_waiting(&link, lost);
    }
    staff_.tell_lost(peer, serial, lost);
    // Who says goodbye, and who never said who he was, is no news.
    if (!stopping_ && !absl::IsCancelled(why) && (peer.id || !absl::IsUnavailable(why)))
      spdlog::warn("node {}: {}", parts_.task.to_string(), std::string(lost.message()));
    fail_calls(&peer, lost);
  }

  // --- what comes ---

  absl::Status take(uint64_t serial, const NodeMessage& m) {
    Peer& peer = peers_[serial];
    if (!peer.id) {
      if (m.kind != MessageKind::kHello) return absl::InvalidArgumentError("it does not say who it is");
      return meet(serial, m.body);
    }
    switch (m.kind) {
      case MessageKind::kPing: return absl::OkStatus();
      case MessageKind::kRequest: return hand_on(serial, m);
      case MessageKind::kReply: return answered(&peer, m);
      case MessageKind::kPush:
        if (peer.is_client()) return absl::PermissionDeniedError("a client sends no values to steps");
        deliver(serial, m.body);
        return absl::OkStatus();
      case MessageKind::kBye: drop(serial, absl::CancelledError("it has left")); return absl::OkStatus();
      default: return absl::InvalidArgumentError("a message out of turn");
    }
  }

  absl::Status meet(uint64_t serial, const absl::Cord& body) {
    TROUPE_ASSIGN_OR_RETURN(PeerId id, unpack_hello(body));
    Peer& peer = peers_[serial];
    TROUPE_RETURN_IF_ERROR(check_peer(peer, id, parts_.cluster));
    if (!id.task) TROUPE_RETURN_IF_ERROR(admit_client(serial));
    peer.connection->trust();
    peer.id = std::move(id);
    if (!peer.called) {
      say_hello(serial);
      return absl::OkStatus();
    }
    Link& link = links_[*peer.called];
    link.dialing = false;
    for (NodeCall& c : std::exchange(link.calls, {})) put_question(serial, std::move(c));
    send_words(std::exchange(link.words, {}));
    return absl::OkStatus();
  }

  /// Who is turned away hears why.
  absl::Status admit_client(uint64_t serial) {
    const absl::Status room = check_client(peers_, parts_.max_clients);
    if (!room.ok()) {
      const std::string why = absl::StrCat(parts_.task.to_string(), ": ", room.message());
      write(serial, {MessageKind::kBye, Method::kNone, 0, absl::Cord(why)});
      return room;
    }
    leases_.watch_as_client(serial, now());
    return absl::OkStatus();
  }

  absl::Status hand_on(uint64_t serial, const NodeMessage& m) {
    staff_.hand_on(*peers_[serial].id, serial, m, NodeReply(this, serial, m.id), *parts_.waiting,
                   parts_.task);
    return absl::OkStatus();
  }

  absl::Status answered(Peer* peer, const NodeMessage& m) {
    auto call = peer->calls.extract(m.id);
    if (call.empty())
      return absl::InvalidArgumentError(absl::StrCat("it answers question ", m.id, ", which was not asked"));
    const auto answer = unpack_answer(m.body);
    // An answer that is none is the answer.
    read_aside(
        m.body.size(), *parts_.waiting,
        [done = std::move(call.mapped()), told = answer.ok() ? *answer : answer.status()] { done(told); });
    return answer.status();
  }

  void deliver(uint64_t serial, const absl::Cord& body) {
    read_aside(body.size(), *parts_.waiting, [me = caf::actor(this), serial, body, steps = parts_.steps] {
      const absl::Status good = guarded("a value that came", [&] { return steps->deliver(body); });
      if (!good.ok()) caf::anon_send(me, NodeRefuses{serial, good});
    });
  }

  // --- what goes ---

  void call(const NodeCall& m) {
    Link& link = links_[m.task];
    if (link.peer != 0 && peers_[link.peer].id) return put_question(link.peer, m);
    link.calls.push_back(m);
    connect(m.task, &link);
  }

  void put_question(uint64_t serial, NodeCall call) {
    Peer& peer = peers_[serial];
    if (call.incarnation != 0 && call.incarnation != peer.id->incarnation) {
      return call.done(absl::AbortedError(absl::StrCat(
          call.task.to_string(), " has been started again: what it had for this session is lost")));
    }
    const uint64_t id = ++last_call_;
    peer.calls.emplace(id, std::move(call.done));
    write(serial, {MessageKind::kRequest, call.method, id, std::move(call.body)},
          [this, serial, id, task = call.task](const absl::Status& why) {
            auto refused = peers_[serial].calls.extract(id);
            if (!refused.empty()) refused.mapped()(annotate(why, absl::StrCat(task.to_string(), ": ")));
          });
  }

  void send_words(std::vector<NodeSend> words) {
    // Whom something is queued for: he is flushed once.
    uint64_t queued = 0;
    for (NodeSend& w : words) {
      Link& link = links_[w.task];
      if (link.peer == 0 || !peers_[link.peer].id) {
        link.words.push_back(std::move(w));
        connect(link.words.back().task, &link);
        continue;
      }
      if (queued != 0 && queued != link.peer) flush_peer(&peers_[queued]);
      queued = link.peer;
      queue_word(&peers_[queued], std::move(w));
    }
    if (queued != 0) flush_peer(&peers_[queued]);
  }

  void answer(const NodeAnswer& m) {
    if (!peers_.contains(m.connection)) return;
    write(m.connection, {MessageKind::kReply, Method::kNone, m.id, pack_answer(*m.body)},
          [this, reply = NodeReply(this, m.connection, m.id)](const absl::Status& why) {
            reply(annotate(why, absl::StrCat("the answer of ", parts_.task.to_string(), ": ")));
          });
  }

  void connect(const TaskId& task, Link* link) {
    if (link->dialing || link->peer != 0) return;
    const auto address = parts_.cluster.address(task);
    if (!address.ok()) return fail_waiting(link, address.status());
    link->dialing = true;
    const absl::Status begun =
        dial_aside(*parts_.waiting, caf::actor(this), {task, ++link->attempt, {}, nullptr}, *address,
                   parts_.connect_patience);
    if (!begun.ok()) fail_waiting(link, begun);
  }

  void dialed(const NodeDialed& m) {
    Link& link = links_[m.task];
    if (m.attempt != link.attempt || !link.dialing) return;
    if (!m.status.ok()) {
      return fail_waiting(&link,
                          absl::UnavailableError(absl::StrCat(m.task.to_string(), ": ", m.status.message())));
    }
    link.peer = add_peer(add_scribe(m.socket->release()), parts_.cluster.address(m.task)->host);
    peers_[link.peer].called = m.task;
    say_hello(link.peer);
  }

  // --- leases ---

  void turn() {
    if (stopping_) return;
    const Time at = now();
    for (auto& [serial, peer] : peers_) {
      if (!peer.id) continue;
      peer.connection->send({MessageKind::kPing, Method::kNone, 0, {}});
      flush_peer(&peer);
    }
    for (const PeerLeases::Expired& e : leases_.turn(at)) {
      drop(e.connection,
           absl::UnavailableError(absl::StrCat("it has not been heard of for ", e.silence.count(), " ms")));
    }
    for (uint64_t serial : strangers_since(peers_, at - kHelloPatience))
      drop(serial, absl::UnavailableError("it does not say who it is"));
    // Sent by this actor, it would stay in its mailbox, and keep it, when it comes as the actor ends.
    caf::delayed_anon_send(caf::actor(this), parts_.lease.period, NodeTurn{});
  }

  void stop() {
    stopping_ = true;
    for (auto& [serial, peer] : peers_) {
      if (!peer.id) continue;
      peer.connection->send({MessageKind::kBye, Method::kNone, 0, {}});
      flush_peer(&peer);
    }
    close_all();
    quit(caf::exit_reason::user_shutdown);
  }

  NodeParts parts_;
  /// Where it listens.
  TaskAddress address_;
  const Listening listening_;
  NodeStaff staff_;
  bool stopping_ = false;
  std::map<uint64_t, Peer> peers_;
  absl::flat_hash_map<int64_t, uint64_t> serials_;
  std::map<TaskId, Link> links_;
  PeerLeases leases_;
  uint64_t last_peer_ = 0;
  uint64_t last_call_ = 0;
};

}  // namespace

absl::StatusOr<SpawnedNode> spawn_node(caf::actor_system& system, const TaskAddress& address,
                                       NodeParts parts) {
  if (!system.has_middleman()) {
    return absl::FailedPreconditionError(
        "The actor system has no middleman: load caf::io::middleman in its configuration.");
  }
  auto listening = std::make_shared<std::promise<absl::StatusOr<uint16_t>>>();
  auto port = listening->get_future();
  caf::actor_config config{&system.middleman().backend()};
  SpawnedNode out{
      system.spawn_impl<NodeImpl, caf::hidden>(config, address, std::move(parts), std::move(listening)), 0};
  TROUPE_ASSIGN_OR_RETURN(out.port, port.get());
  return out;
}

void set_worker(const caf::actor& node, const caf::actor& worker, const caf::actor& clients) {
  caf::anon_send(node, NodeStaff{worker, clients});
}

}  // namespace troupe
