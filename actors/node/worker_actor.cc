#include "actors/node/worker_actor.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/node/messages.h"
#include "actors/node/node_exchange.h"
#include "actors/node/part_compiler.h"
#include "actors/node/part_runs.h"
#include "actors/node/status_proto.h"
#include "actors/outstanding_run.h"
#include "actors/session_core.h"
#include "actors/step/node_timing.h"
#include "actors/units/on_senders_thread.h"
#include "graph/status.h"
#include "graph/thrown.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

/// "OK" and nothing to say.
absl::StatusOr<absl::Cord> nothing() { return pack(wire::Status()); }

class WorkerImpl final : public OnSendersThread<caf::event_based_actor> {
 public:
  WorkerImpl(caf::actor_config& config, WorkerParts parts)
      : OnSendersThread(config), parts_(std::move(parts)) {}

  const char* name() const override { return "worker"; }

  void on_exit() override {
    const absl::Status left = absl::UnavailableError(absl::StrCat(parts_.task.to_string(), " has left"));
    for (auto& [id, session] : std::exchange(sessions_, {})) end(&session, left);
    parts_ = {};
  }

  caf::behavior make_behavior() override {
    return {
        [this](const WorkerRequest& m) { answer(m); },
        [this](const PeerLost& m) { lose(m); },
        [this](const LinkLost& m) { lose_link(m); },
        [this](const PartCompiled& m) { compiled(m); },
        [this](WorkerDrain) {
          draining_ = true;
          return WorkerSessions{sessions_.size() + opening_.size()};
        },
    };
  }

 private:
  struct Session {
    /// Whose it is: it ends with him.
    PeerId owner;
    SessionActor actor;
    std::shared_ptr<SessionCore> core;
    absl::flat_hash_map<uint64_t, std::shared_ptr<const SignatureAlias>> parts;
    std::shared_ptr<PartRuns> runs = std::make_shared<PartRuns>();
    /// Who wants to know of lost links, and the last one that he does not know of.
    std::optional<NodeReply> watcher;
    std::optional<LinkLost> lost_link;
  };
  /// One whose SESSION is being made.
  struct Opening {
    PeerId owner;
    /// Why nobody wants it any more; OK: somebody does.
    absl::Status unwanted;
  };

  /// Every request is answered: here when it is refused, else by whoever does it.
  void answer(const WorkerRequest& m) {
    // Who opens a session asks for the status first: he waits for another life of the task.
    if (draining_ && (m.method == Method::kGetStatus || m.method == Method::kCreateWorkerSession))
      return m.reply(draining(parts_.task));
    absl::Status refused;
    switch (m.method) {
      case Method::kGetStatus: return m.reply(pack(task_status(parts_.incarnation, *parts_.devices)));
      case Method::kCreateWorkerSession: refused = create_session(m); break;
      case Method::kDeleteWorkerSession: refused = delete_session(m); break;
      case Method::kRegisterPart: refused = register_part(m); break;
      case Method::kDeregisterPart: refused = deregister_part(m); break;
      case Method::kRunPart: refused = run_part(m); break;
      case Method::kCancelPart: refused = cancel_part(m); break;
      case Method::kInspectPart: refused = inspect_part(m); break;
      case Method::kCleanupAll: refused = cleanup_all(m); break;
      case Method::kWatchLinks: refused = watch_links(m); break;
      default:
        refused = absl::UnimplementedError(
            absl::StrCat(parts_.task.to_string(), " knows no method ", static_cast<int>(m.method)));
    }
    if (!refused.ok()) m.reply(refused);
  }

  /// Aborted when it is not there: it was, before this node was started again or its owner was lost.
  absl::StatusOr<Session*> find(uint64_t id) {
    const auto found = sessions_.find(id);
    if (found != sessions_.end()) return &found->second;
    return absl::AbortedError(absl::StrCat(parts_.task.to_string(), " does not have the session ",
                                           absl::Hex(id),
                                           ": it was started again, or had lost the session's master"));
  }

  absl::Status create_session(const WorkerRequest& m) {
    wire::CreateWorkerSession want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    if (sessions_.contains(want.session()) || opening_.contains(want.session()))
      return absl::AlreadyExistsError(
          absl::StrCat("the session ", absl::Hex(want.session()), " is there already"));
    TROUPE_RETURN_IF_ERROR(check_room(m.from));
    TROUPE_ASSIGN_OR_RETURN(SessionOptions options, SessionOptions::from_config(want.config()));
    // Its master keeps the time.
    options.operation_timeout = std::chrono::milliseconds(0);
    options.target.clear();
    options.handle.clear();
    options.has_metadata = false;
    // Its master has said it.
    options.without_meaning.clear();
    options.devices = parts_.devices;
    if (want.isolate()) {
      TROUPE_ASSIGN_OR_RETURN(options.devices, parts_.own_devices());
    }
    auto exchange = std::make_shared<NodeExchange>(parts_.node, parts_.task, want.session(), parts_.steps);
    options.exchange = exchange;
    forget_lives_before(m.from);
    const uint64_t id = want.session();
    opening_.emplace(id, Opening{m.from, absl::OkStatus()});
    request(parts_.runtime, caf::infinite, OpenSession{options})
        .then([this, m, id, exchange](const SessionActor& actor) { opened(m, id, exchange, actor); },
              [this, m, id](caf::error& error) { not_opened(m, id, to_status(error)); });
    return absl::OkStatus();
  }

  absl::Status check_room(const PeerId& peer) const {
    const auto is_his = [&](const auto& session) { return session.second.owner == peer; };
    const auto his = std::count_if(sessions_.begin(), sessions_.end(), is_his) +
                     std::count_if(opening_.begin(), opening_.end(), is_his);
    if (static_cast<size_t>(his) < parts_.max_sessions_of_peer) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(peer.to_string(), " has ", his, " sessions on ",
                                                     parts_.task.to_string(),
                                                     " and gets no more: close one"));
  }

  void opened(const WorkerRequest& m, uint64_t id, const std::shared_ptr<NodeExchange>& exchange,
              const SessionActor& actor) {
    request(actor, caf::infinite, CoreRequest{})
        .then(
            [this, m, id, exchange, actor](const CoreReply& reply) {
              const absl::Status unwanted = opening_.extract(id).mapped().unwanted;
              if (!unwanted.ok()) {
                send_exit(actor, caf::exit_reason::user_shutdown);
                return m.reply(unwanted);
              }
              // What it runs it gets in parts.
              reply.core->has_graph = true;
              Session& session = sessions_[id];
              session.owner = m.from;
              session.actor = actor;
              session.core = reply.core;
              exchange->on_lost(
                  [runs = session.runs](int64_t step, const absl::Status& why) { runs->cancel(step, why); });
              m.reply(nothing());
            },
            [this, m, id](caf::error& error) { not_opened(m, id, to_status(error)); });
  }

  void not_opened(const WorkerRequest& m, uint64_t id, const absl::Status& why) {
    opening_.erase(id);
    m.reply(why);
  }

  /// A master that has been started again: what his earlier lives had here is nobody's, though their connections are not lost yet. Who is no task
  /// has one life.
  void forget_lives_before(const PeerId& now) {
    if (!now.task) return;
    const absl::Status why = absl::AbortedError(
        absl::StrCat(now.to_string(), " has been started again: its sessions before are over"));
    lose_all([&](const PeerId& owner) { return owner.task == now.task && owner != now; }, why);
  }

  absl::Status delete_session(const WorkerRequest& m) {
    wire::DeleteWorkerSession want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    const absl::Status closed = absl::CancelledError("Session has been closed.");
    auto gone = sessions_.extract(want.session());
    if (!gone.empty()) end(&gone.mapped(), closed);
    if (auto opening = opening_.find(want.session()); opening != opening_.end())
      opening->second.unwanted = closed;
    m.reply(nothing());
    return absl::OkStatus();
  }

  static void end(Session* session, const absl::Status& why) {
    session->runs->cancel_all(why);
    if (session->watcher) (*session->watcher)(why);
    for (auto& [id, part] : session->parts) part->signature->slots.stop();
    caf::anon_send_exit(session->actor, caf::exit_reason::user_shutdown);
  }

  void lose(const PeerLost& m) {
    lose_all([&](const PeerId& owner) { return owner == m.peer; }, m.why);
  }

  /// Ends the sessions of those owners.
  template <class IsLost>
  void lose_all(const IsLost& is_lost, const absl::Status& why) {
    std::vector<uint64_t> lost;
    for (const auto& [id, session] : sessions_) {
      if (is_lost(session.owner)) lost.push_back(id);
    }
    for (uint64_t id : lost) end(&sessions_.extract(id).mapped(), why);
    for (auto& [id, opening] : opening_) {
      if (is_lost(opening.owner)) opening.unwanted = why;
    }
  }

  // --- links ---

  absl::Status watch_links(const WorkerRequest& m) {
    wire::WatchLinks want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(Session* const session, find(want.session()));
    if (session->watcher)
      return absl::AlreadyExistsError(
          absl::StrCat("the links of the session ", absl::Hex(want.session()), " are watched already"));
    session->watcher = m.reply;
    tell_watcher(session);
    return absl::OkStatus();
  }

  /// A part here may have ended well whose values were on that link: nobody but the masters can tell whether somebody waits for them.
  void lose_link(const LinkLost& m) {
    for (auto& [id, session] : sessions_) {
      session.lost_link = m;
      tell_watcher(&session);
    }
  }

  static void tell_watcher(Session* session) {
    if (!session->watcher || !session->lost_link) return;
    wire::LostLink out;
    out.set_task(session->lost_link->task.to_string());
    to_proto(session->lost_link->why, out.mutable_why());
    session->lost_link.reset();
    (*std::exchange(session->watcher, std::nullopt))(pack(out));
  }

  // --- parts ---

  absl::Status register_part(const WorkerRequest& m) {
    auto want = std::make_shared<wire::RegisterPart>();
    TROUPE_RETURN_IF_ERROR(unpack(m.body, want.get()));
    TROUPE_ASSIGN_OR_RETURN(Session* const session, find(want->session()));
    session->core->compilers->run([core = session->core, want, me = caf::actor(this), reply = m.reply] {
      using Part = std::shared_ptr<const SignatureAlias>;
      auto part = std::make_shared<absl::StatusOr<Part>>(absl::InternalError("not compiled"));
      const absl::Status thrown = guarded("compiling a part", [&] {
        *part = compile_part(*core, *want);
        return absl::OkStatus();
      });
      if (!thrown.ok()) *part = thrown;
      caf::anon_send(me, PartCompiled{want->session(), part, reply});
    });
    return absl::OkStatus();
  }

  void compiled(const PartCompiled& m) {
    if (!m.part->ok()) return m.reply(m.part->status());
    const absl::StatusOr<Session*> session = find(m.session);
    if (!session.ok()) return m.reply(session.status());
    wire::RegisteredPart out;
    out.set_part(++last_part_);
    (*session)->parts.emplace(last_part_, **m.part);
    m.reply(pack(out));
  }

  absl::Status deregister_part(const WorkerRequest& m) {
    wire::DeregisterPart want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    // A session that is gone has no parts.
    if (auto session = sessions_.find(want.session()); session != sessions_.end()) {
      auto part = session->second.parts.extract(want.part());
      if (!part.empty()) part.mapped()->signature->slots.stop();
    }
    m.reply(nothing());
    return absl::OkStatus();
  }

  absl::Status run_part(const WorkerRequest& m) {
    TROUPE_ASSIGN_OR_RETURN(Parcel parcel, unpack(m.body));
    wire::RunPart want;
    if (!want.ParseFromString(parcel.proto)) return absl::InvalidArgumentError("it is no RunPart");
    TROUPE_ASSIGN_OR_RETURN(Session* const session, find(want.session()));
    const auto part = session->parts.find(want.part());
    if (part == session->parts.end())
      return absl::AbortedError(
          absl::StrCat(parts_.task.to_string(), " does not have the part ", want.part()));
    if (parcel.tensors.size() != part->second->feed_at.size()) {
      return absl::InvalidArgumentError(absl::StrCat("part ", want.part(), " takes ",
                                                     part->second->feed_at.size(), " arguments, but ",
                                                     parcel.tensors.size(), " came"));
    }
    // Nobody else adds one.
    if (session->runs->find(want.step()) != nullptr)
      return absl::AlreadyExistsError(
          absl::StrCat("step ", want.step(), " runs on ", parts_.task.to_string(), " already"));
    LeaseRequest what;
    what.alias = part->second;
    RunOptions options;
    options.collect_stats = want.collect_stats();
    auto tell = [runs = session->runs, step = want.step(), reply = m.reply,
                 came = wall_clock_ns()](const absl::Status& status, const RunReply& result) {
      runs->remove(step);
      reply(part_ended(status, result, came));
    };
    auto run = std::make_shared<OutstandingRun>(session->core, std::move(what), std::move(parcel.tensors),
                                                options, tell);
    run->cluster_step_id = want.step();
    session->runs->add(want.step(), run);
    if (run->enter(RunGate::kActorStripe).ok()) run->begin();
    return absl::OkStatus();
  }

  static absl::StatusOr<absl::Cord> part_ended(const absl::Status& status, const RunReply& result,
                                               int64_t came_ns) {
    wire::PartEnded out;
    to_proto(status, out.mutable_status());
    out.set_nodes_run(result.stats.nodes_run);
    out.set_metadata(result.stats.metadata);
    out.set_came_ns(came_ns);
    out.set_answered_ns(wall_clock_ns());
    return pack(out, result.fetches);
  }

  absl::Status cancel_part(const WorkerRequest& m) {
    wire::CancelPart want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(Session* const session, find(want.session()));
    session->runs->cancel(want.step(), from_proto(want.why()));
    // What others still send for it is nobody's.
    parts_.steps->close(want.session(), want.step());
    m.reply(nothing());
    return absl::OkStatus();
  }

  absl::Status inspect_part(const WorkerRequest& m) {
    wire::InspectPart want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(Session* const session, find(want.session()));
    const auto run = session->runs->find(want.step());
    const int64_t step = run == nullptr ? 0 : run->step_id()->load();
    request(session->actor, caf::infinite, InspectRequest{})
        .then(
            [step, reply = m.reply](const InspectReply& r) {
              wire::PartFrontier out;
              for (const StepReport& s : r.steps) {
                if (step == 0 || s.step_id != step) continue;
                for (const std::string& line : s.frontier) out.add_lines(line);
              }
              reply(pack(out));
            },
            [reply = m.reply](caf::error& error) { reply(to_status(error)); });
    return absl::OkStatus();
  }

  absl::Status cleanup_all(const WorkerRequest& m) {
    wire::CleanupAll want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    // No session's: those that sessions share.
    DeviceSet* devices = parts_.devices.get();
    if (want.session() != 0) {
      TROUPE_ASSIGN_OR_RETURN(Session* const session, find(want.session()));
      devices = session->core->devices.get();
    }
    devices->clear_containers({want.containers().begin(), want.containers().end()});
    m.reply(nothing());
    return absl::OkStatus();
  }

  WorkerParts parts_;
  /// By the key that the session has on all tasks.
  absl::flat_hash_map<uint64_t, Session> sessions_;
  absl::flat_hash_map<uint64_t, Opening> opening_;
  uint64_t last_part_ = 0;
  bool draining_ = false;
};

}  // namespace

caf::actor spawn_worker(caf::actor_system& system, WorkerParts parts) {
  return system.spawn<WorkerImpl, caf::hidden>(std::move(parts));
}

}  // namespace troupe
