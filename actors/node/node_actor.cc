#include "actors/node/node_actor.h"

#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <spdlog/spdlog.h>

#include <future>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "actors/node/hello.h"
#include "actors/node/links.h"
#include "actors/node/node_clock.h"
#include "actors/node/node_door.h"
#include "actors/node/node_look.h"
#include "actors/node/node_roster.h"
#include "actors/node/node_staff.h"
#include "actors/node/peer_leases.h"
#include "actors/node/peers.h"
#include "actors/node/read_aside.h"
#include "actors/units/turns_here.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Words that turns of steps on NODE's thread have left leave together, but before the turns are over: their peer has work, too, meanwhile.
constexpr size_t kWordsAtOnce = 64;

class NodeImpl final : public caf::io::broker {
 public:
  /// Told once: the port, or why there is none.
  using Answer = std::shared_ptr<std::promise<absl::StatusOr<uint16_t>>>;

  NodeImpl(caf::actor_config& config, TaskAddress address, NodeParts parts, Answer listening)
      : caf::io::broker(config), parts_(std::move(parts)), address_(std::move(address)),
        listening_(std::move(listening)), leases_(parts_.lease, parts_.client_lease) {}

  const char* name() const override { return "node"; }

  void on_exit() override {
    const absl::Status ended = absl::CancelledError("the node has ended");
    links_->lose_all(ended);
    clock_ = {};
    door_ = {};
    for (auto& [serial, peer] : std::exchange(peers_, {})) fail_calls(&peer, ended);
    staff_ = {};
    // What others of its steps know may refer to this actor, and would keep it for ever.
    parts_ = {};
  }

  /// A broker's own leaves its mailbox open (CAF 0.17.6): questions that come later would stay there, and nobody would hear that they have no answer.
  bool cleanup(caf::error&& why, caf::execution_unit* unit) override {
    return caf::scheduled_actor::cleanup(std::move(why), unit);
  }

  /// What it was told has been said to its peers, who may answer at once; it does not look after what they say: others work then, and need the core.
  resume_result resume(caf::execution_unit* thread, size_t max_messages) override {
    const resume_result result = caf::io::broker::resume(thread, max_messages);
    if (result == caf::resumable::awaiting_message) look_.rest([this] { return !mailbox().blocked(); });
    return result;
  }

  caf::behavior make_behavior() override {
    links_.emplace(caf::actor(this), parts_.waiting, parts_.connect_patience);
    auto port = parts_.listens ? door_.open(this, address_) : address_.port;
    if (const absl::Status ticks = clock_.start(this, parts_.lease.period); !ticks.ok()) port = ticks;
    listening_->set_value(port);
    if (!port.ok()) {
      quit();
      return {};
    }
    roster_.emplace(parts_.task, address_.port = *port, parts_.view, parts_.changes, parts_.is_guest);
    // Who has joined tells all, and so is connected to them: they tell him when his place is taken.
    tell_others(roster_->all());
    turn();
    return {
        [this](const SocketReady& m) { ready(m); },
        [this](const NodeCall& m) { call(m); },
        [this](const NodeSends&) { send_words(parts_.words->take()); },
        [this](const NodeAnswer& m) { answer(m); },
        [this](const NodeDialed& m) { dialed(m); },
        [this](const NodeArrived& m) { accepted(std::move(*m.socket)); },
        [this](const NodeRefuses& m) { drop(m.connection, m.why); },
        [this](const NodeStaff& m) { staff_ = m; },
        [this](NodeStop) { stop(); },
    };
  }

 private:
  static auto now() { return std::chrono::steady_clock::now(); }

  // --- connections ---

  /// `host`: of the task that was called; "" of who has come.
  uint64_t add_peer(Socket socket, const std::string& host) {
    const uint64_t serial = ++last_peer_;
    NodePeer& peer = peers_[serial];
    peer.line = std::make_shared<NodeLine>(std::move(socket), parts_.limits, parts_.tls, host, parts_.memory);
    look_.add(peer.line->socket());
    peer.events = SocketEvents::watch(this, peer.line->socket(), peer.line, serial);
    peer.since = now();
    leases_.watch(serial, now());
    return serial;
  }

  void accepted(Socket socket) {
    const std::vector<uint64_t> unknown = strangers(peers_);
    if (unknown.size() >= kMaxStrangers) drop(unknown.front(), absl::UnavailableError("others have come"));
    if (peers_.size() < parts_.max_connections) return (void)add_peer(std::move(socket), "");
    spdlog::warn("node {}: it has {} connections and takes no more", parts_.task.to_string(), peers_.size());
  }

  void ready(const SocketReady& m) {
    if (NodeClock::is_its(m.id)) return turn();
    look_.heard();
    if (NodeDoor::is_its(m.id)) {
      for (Socket& socket : door_.take_in(m.id)) accepted(std::move(socket));
    } else if (const auto found = peers_.find(m.id); found != peers_.end()) {
      if (!m.to_write) return read(m.id);
      if (const absl::Status written = flush_peer(&found->second); !written.ok()) lose(m.id, written);
    }
  }

  void say_hello(uint64_t serial) {
    const Invitation invitation =
        parts_.is_guest ? invite(roster_->cluster(), peers_[serial].called) : Invitation();
    write(serial, {MessageKind::kHello, Method::kNone, 0,
                   pack_hello({parts_.task, parts_.incarnation}, address_.to_string(), invitation)});
  }

  /// What a task that has come may not know of the others.
  void tell_roster(uint64_t serial) {
    if (peers_[serial].is_client()) return;
    for (const absl::Cord& words : roster_->all())
      write(serial, {MessageKind::kRoster, Method::kNone, 0, words});
  }

  /// Of the roster, to those who are not connected.
  void tell_others(const std::vector<absl::Cord>& about) {
    for (const absl::Cord& words : about)
      send_words(words_to_others(peers_, roster_->cluster(), parts_.task, words));
  }

  void write(uint64_t serial, const NodeMessage& message, Connection::Refused refused = nullptr) {
    peers_[serial].line->send(message, std::move(refused));
    (void)flush_peer(&peers_[serial]);
  }

  void say_to_all(MessageKind kind) {
    for (auto& [serial, peer] : peers_) {
      if (peer.id) write(serial, {kind, Method::kNone, 0, {}});
    }
  }

  void read(uint64_t serial) {
    const auto send_early = [this] { send_words(parts_.words->take(kWordsAtOnce)); };
    // What comes to steps, and is little work, they do on this thread, at the end.
    const TurnsHere turns(send_early);
    std::vector<NodeMessage> arrived;
    const absl::Status good = peers_[serial].line->read(&arrived);
    leases_.heard(serial, now());
    for (const NodeMessage& message : arrived) {
      if (absl::Status taken = take(serial, message); !taken.ok()) return drop(serial, taken);
      if (!peers_.contains(serial)) return;
    }
    hand_values(serial);
    // Acknowledged pieces make room for the next; and who is refused hears why.
    (void)flush_peer(&peers_[serial]);
    if (!good.ok()) drop(serial, good);
  }

  void drop(uint64_t serial, const absl::Status& why) {
    const auto found = peers_.find(serial);
    if (found == peers_.end()) return;
    found->second.line->say_no_more();
    lose(serial, why);
  }

  /// Forgets a peer; who waits for him hears why.
  void lose(uint64_t serial, const absl::Status& why) {
    auto gone = peers_.extract(serial);
    if (gone.empty()) return;
    NodePeer& peer = gone.mapped();
    leases_.forget(serial);
    const absl::Status lost = absl::UnavailableError(absl::StrCat(peer.name(), " is lost: ", why.message()));
    if (peer.called) links_->lose(*peer.called, serial, lost);
    staff_.tell_lost(peer, serial, lost);
    // Who says goodbye, and who never said who he was, is no news.
    if (!stopping_ && !absl::IsCancelled(why) && (peer.id || !absl::IsUnavailable(why)))
      spdlog::warn("node {}: {}", parts_.task.to_string(), std::string(lost.message()));
    fail_calls(&peer, lost);
  }

  // --- what comes ---

  absl::Status take(uint64_t serial, const NodeMessage& m) {
    NodePeer& peer = peers_[serial];
    if (!peer.id) {
      if (m.kind != MessageKind::kHello) return absl::InvalidArgumentError("it does not say who it is");
      return meet(serial, m.body);
    }
    if (m.kind != MessageKind::kPush) hand_values(serial);
    switch (m.kind) {
      case MessageKind::kPing: return absl::OkStatus();
      case MessageKind::kRequest: return hand_on(serial, m);
      case MessageKind::kReply: return hear_answer(&peer, m, *parts_.waiting);
      case MessageKind::kPush:
        if (peer.is_client()) return absl::PermissionDeniedError("a client sends no values to steps");
        values_.push_back(m.body);
        if (m.body.size() > kReadHereBytes) hand_values(serial);
        return absl::OkStatus();
      case MessageKind::kRoster: {
        if (peer.is_client()) return absl::PermissionDeniedError("a client tells no tasks about tasks");
        TROUPE_ASSIGN_OR_RETURN(const NodeRoster::News news, roster_->hear(m.body));
        follow(news, serial);
        return absl::OkStatus();
      }
      case MessageKind::kBye: drop(serial, absl::CancelledError("it has left")); return absl::OkStatus();
      default: return absl::InvalidArgumentError("a message out of turn");
    }
  }

  /// Values that have come together go on together, and before what has come after them.
  void hand_values(uint64_t serial) {
    if (values_.empty()) return;
    hand_on_values(std::exchange(values_, {}), parts_.steps, *parts_.waiting,
                   [me = caf::actor(this), serial](const absl::Status& why) {
                     caf::anon_send(me, NodeRefuses{serial, why});
                   });
  }

  absl::Status meet(uint64_t serial, const absl::Cord& body) {
    NodePeer& peer = peers_[serial];
    TROUPE_ASSIGN_OR_RETURN(PeerId id, unpack_hello(body, &peer.address));
    if (absl::Status here = roster_->check_place(id.task, peer.address); !here.ok()) {
      // Who has lost his place hears who has it.
      if (!peer.called) say_hello(serial);
      tell_roster(serial);
      return here;
    }
    TROUPE_RETURN_IF_ERROR(check_peer(peer, id, roster_->cluster()));
    if (!id.task) TROUPE_RETURN_IF_ERROR(admit_client(serial));
    peer.line->trust();
    peer.id = std::move(id);
    if (!peer.called) say_hello(serial);
    // Before anything else: who asks it something has told it what he knows.
    tell_roster(serial);
    if (!peer.called) return absl::OkStatus();
    NodeLinks::Waiting waiting = links_->take(*peer.called);
    for (NodeCall& c : waiting.calls) put_question(serial, std::move(c));
    send_words(std::move(waiting.words));
    return absl::OkStatus();
  }

  /// The cluster is another; `from` has said so, or, 0, was told so here: then this node tells all, else those whom it is connected to.
  void follow(const NodeRoster::News& news, uint64_t from) {
    for (auto& [serial, peer] : peers_) {
      if (!news.words.empty() && serial != from && peer.id && peer.id->task)
        write(serial, {MessageKind::kRoster, Method::kNone, 0, news.words});
    }
    if (from == 0 && !news.words.empty()) tell_others({news.words});
    for (const auto& [task, why] : news.moved) {
      const std::string what = absl::StrCat(task.to_string(), ": ", why.message());
      spdlog::info("node {}: {}", parts_.task.to_string(), what);
      for (uint64_t serial : peers_elsewhere(peers_, task, roster_->cluster())) drop(serial, why);
      links_->hang_up(task, absl::UnavailableError(what));
    }
    if (!news.expelled.ok() && parts_.expelled) std::exchange(parts_.expelled, nullptr)(news.expelled);
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
    if (NodeRoster::is_asked(m.method)) {
      NodeRoster::News news;
      // Before who has asked is lost by what he has asked for.
      write(serial, {MessageKind::kReply, Method::kNone, m.id,
                     pack_answer(roster_->answer(m.method, m.body, &news))});
      follow(news, 0);
      return absl::OkStatus();
    }
    staff_.hand_on(*peers_[serial].id, serial, m, NodeReply(this, serial, m.id), *parts_.waiting,
                   parts_.task);
    return absl::OkStatus();
  }

  // --- what goes ---

  void call(const NodeCall& m) {
    const uint64_t peer = links_->peer_of(m.task);
    if (peer != 0 && peers_[peer].id) return put_question(peer, m);
    links_->await(m, roster_->cluster().address(m.task));
  }

  void put_question(uint64_t serial, NodeCall call) {
    queue_question(&peers_[serial], ++last_call_, std::move(call));
    (void)flush_peer(&peers_[serial]);
  }

  void send_words(std::vector<NodeSend> words) {
    // Whom something is queued for: he is flushed once.
    uint64_t queued = 0;
    for (NodeSend& w : words) {
      const uint64_t peer = links_->peer_of(w.task);
      if (peer == 0 || !peers_[peer].id) {
        const auto address = roster_->cluster().address(w.task);
        links_->await(std::move(w), address);
        continue;
      }
      if (queued != 0 && queued != peer) (void)flush_peer(&peers_[queued]);
      queued = peer;
      queue_word(&peers_[queued], std::move(w));
    }
    if (queued != 0) (void)flush_peer(&peers_[queued]);
  }

  void answer(const NodeAnswer& m) {
    if (!peers_.contains(m.connection)) return;
    write(m.connection, {MessageKind::kReply, Method::kNone, m.id, pack_answer(*m.body)},
          [this, reply = NodeReply(this, m.connection, m.id)](const absl::Status& why) {
            reply(annotate(why, absl::StrCat("the answer of ", parts_.task.to_string(), ": ")));
          });
  }

  void dialed(const NodeDialed& m) {
    if (!links_->dialed(m)) return;
    const uint64_t serial = add_peer(std::move(*m.socket), m.host);
    links_->connected(m.task, serial);
    peers_[serial].called = m.task;
    say_hello(serial);
  }

  void turn() {
    const auto at = now();
    clock_.take();
    door_.go_on();
    say_to_all(MessageKind::kPing);
    for (const PeerLeases::Expired& e : leases_.turn(at)) {
      drop(e.connection,
           absl::UnavailableError(absl::StrCat("it has not been heard of for ", e.silence.count(), " ms")));
    }
    for (uint64_t serial : strangers_since(peers_, at - kHelloPatience))
      drop(serial, absl::UnavailableError("it does not say who it is"));
  }

  void stop() {
    stopping_ = true;
    say_to_all(MessageKind::kBye);
    quit(caf::exit_reason::user_shutdown);
  }

  NodeParts parts_;
  TaskAddress address_;
  const Answer listening_;
  NodeStaff staff_;
  /// From when it listens.
  std::optional<NodeRoster> roster_;
  bool stopping_ = false;
  NodeLook look_;
  NodeClock clock_;
  NodeDoor door_;
  std::map<uint64_t, NodePeer> peers_;
  std::optional<NodeLinks> links_;
  PeerLeases leases_;
  /// Values of the peer that is read from.
  std::vector<absl::Cord> values_;
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

}  // namespace troupe
