#include "actors/node/worker_actor.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/node/hosted_sessions.h"
#include "actors/node/leaves_last.h"
#include "actors/node/messages.h"
#include "actors/node/node_exchange.h"
#include "actors/node/part_compiler.h"
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

class WorkerImpl final : public LeavesLast<OnSendersThread<caf::event_based_actor>> {
 public:
  WorkerImpl(caf::actor_config& config, WorkerParts parts)
      : LeavesLast(config), parts_(std::move(parts)), sessions_(parts_.task, parts_.max_sessions_of_peer) {}

  const char* name() const override { return "worker"; }

  void on_exit() override {
    end_sessions();
    parts_ = {};
  }

  caf::behavior make_behavior() override {
    leave_when_asked();
    return {
        [this](const WorkerRequest& m) { answer(m); },
        [this](const PeerLost& m) { lose(m); },
        [this](const LinkLost& m) { lose_link(m); },
        [this](const ValueLost& m) {
          if (Session* const session = sessions_.peek(m.session)) session->note_lost(m);
        },
        [this](const PartCompiled& m) { compiled(m); },
        [this](WorkerCount) { return WorkerSessions{sessions_.size()}; },
        [this](WorkerDrain) {
          draining_ = true;
          return WorkerSessions{sessions_.size()};
        },
    };
  }

 private:
  using Session = HostedSession;

  absl::Status left() const {
    return absl::UnavailableError(absl::StrCat(parts_.task.to_string(), " has left"));
  }

  bool is_opening() const override { return sessions_.is_opening(); }
  void end_sessions() override {
    sessions_.lose([](const PeerId&) { return true; }, left());
  }

  /// Every request is answered: here when it is refused, else by whoever does it.
  void answer(const WorkerRequest& m) {
    if (is_leaving()) return m.reply(left());
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

  absl::Status create_session(const WorkerRequest& m) {
    wire::CreateWorkerSession want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_RETURN_IF_ERROR(sessions_.check_new(want.session(), m.from));
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
    auto exchange =
        std::make_shared<NodeExchange>(parts_.node, parts_.words, parts_.task, want.session(), parts_.steps);
    options.exchange = exchange;
    forget_lives_before(m.from);
    const uint64_t id = want.session();
    sessions_.begin(id, m.from);
    request(parts_.runtime, caf::infinite, OpenSession{options})
        .then([this, m, id, exchange](const SessionActor& actor) { opened(m, id, exchange, actor); },
              [this, m, id](caf::error& error) { not_opened(m, id, to_status(error)); });
    return absl::OkStatus();
  }

  void opened(const WorkerRequest& m, uint64_t id, const std::shared_ptr<NodeExchange>& exchange,
              const SessionActor& actor) {
    request(actor, caf::infinite, CoreRequest{})
        .then(
            [this, m, id, exchange, actor](const CoreReply& reply) {
              const absl::StatusOr<Session*> session = sessions_.add(id, actor, reply.core);
              if (!session.ok()) {
                send_exit(actor, caf::exit_reason::user_shutdown);
                m.reply(session.status());
                return quit_if_left();
              }
              // What it runs it gets in parts.
              reply.core->has_graph = true;
              exchange->on_lost([runs = (*session)->runs, id,
                                 me = caf::weak_actor_ptr(ctrl())](int64_t step, const absl::Status& why) {
                runs->cancel(step, why);
                // Its part may have ended well.
                if (auto worker = me.lock())
                  caf::anon_send(caf::actor_cast<caf::actor>(worker), ValueLost{id, step, why});
              });
              m.reply(pack_nothing());
            },
            [this, m, id](caf::error& error) { not_opened(m, id, to_status(error)); });
  }

  void not_opened(const WorkerRequest& m, uint64_t id, const absl::Status& why) {
    sessions_.give_up(id);
    m.reply(why);
    quit_if_left();
  }

  /// A master that has been started again: what his earlier lives had here is nobody's, though their connections are not lost yet. Who is no task
  /// has one life.
  void forget_lives_before(const PeerId& now) {
    if (!now.task) return;
    const absl::Status why = absl::AbortedError(
        absl::StrCat(now.to_string(), " has been started again: its sessions before are over"));
    sessions_.lose([&](const PeerId& owner) { return owner.task == now.task && owner != now; }, why);
  }

  absl::Status delete_session(const WorkerRequest& m) {
    wire::DeleteWorkerSession want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_RETURN_IF_ERROR(
        sessions_.remove(want.session(), m.from, absl::CancelledError("Session has been closed.")));
    m.reply(pack_nothing());
    return absl::OkStatus();
  }

  void lose(const PeerLost& m) {
    sessions_.lose([&](const PeerId& owner) { return owner == m.peer; }, m.why);
  }

  // --- links ---

  absl::Status watch_links(const WorkerRequest& m) {
    wire::WatchLinks want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(Session* const session, sessions_.find(want.session(), m.from));
    if (session->watcher)
      return absl::AlreadyExistsError(
          absl::StrCat("the links of the session ", absl::Hex(want.session()), " are watched already"));
    session->watch(m.reply);
    return absl::OkStatus();
  }

  /// A part here may have ended well whose values were on that link: nobody but the masters can tell whether somebody waits for them.
  void lose_link(const LinkLost& m) {
    sessions_.for_each([&](Session& session) { session.note_lost(m); });
  }

  // --- parts ---

  absl::Status register_part(const WorkerRequest& m) {
    auto want = std::make_shared<wire::RegisterPart>();
    TROUPE_RETURN_IF_ERROR(unpack(m.body, want.get()));
    TROUPE_ASSIGN_OR_RETURN(Session* const session, sessions_.find(want->session(), m.from));
    session->core->compilers->run(
        [core = session->core, want, me = caf::actor(this), owner = m.from, reply = m.reply] {
          using Part = std::shared_ptr<const SignatureAlias>;
          auto part = std::make_shared<absl::StatusOr<Part>>(absl::InternalError("not compiled"));
          const absl::Status thrown = guarded("compiling a part", [&] {
            *part = compile_part(*core, *want);
            return absl::OkStatus();
          });
          if (!thrown.ok()) *part = thrown;
          caf::anon_send(me, PartCompiled{want->session(), owner, part, reply});
        });
    return absl::OkStatus();
  }

  void compiled(const PartCompiled& m) {
    // When the session is gone, compiling was given up for that: Cancelled, which nobody has asked for.
    const absl::StatusOr<Session*> session = sessions_.find(m.session, m.owner);
    if (!session.ok()) return m.reply(session.status());
    if (!m.part->ok()) return m.reply(m.part->status());
    wire::RegisteredPart out;
    out.set_part(++last_part_);
    (*session)->parts.emplace(last_part_, **m.part);
    m.reply(pack(out));
  }

  absl::Status deregister_part(const WorkerRequest& m) {
    wire::DeregisterPart want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    // A session that is gone has no parts.
    if (sessions_.peek(want.session()) != nullptr) {
      TROUPE_ASSIGN_OR_RETURN(Session* const session, sessions_.find(want.session(), m.from));
      auto part = session->parts.extract(want.part());
      if (!part.empty()) part.mapped()->signature->slots.stop();
    }
    m.reply(pack_nothing());
    return absl::OkStatus();
  }

  absl::Status run_part(const WorkerRequest& m) {
    wire::RunPart want;
    std::vector<Tensor> arguments;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want, &arguments));
    TROUPE_ASSIGN_OR_RETURN(Session* const session, sessions_.find(want.session(), m.from));
    // A part that is large takes longer than a cancel that was sent after it.
    if (parts_.steps->is_over(want.session(), want.step()))
      return absl::CancelledError(
          absl::StrCat("step ", want.step(), " is over on ", parts_.task.to_string()));
    const auto part = session->parts.find(want.part());
    if (part == session->parts.end())
      return absl::AbortedError(
          absl::StrCat(parts_.task.to_string(), " does not have the part ", want.part()));
    if (arguments.size() != part->second->feed_at.size()) {
      return absl::InvalidArgumentError(absl::StrCat("part ", want.part(), " takes ",
                                                     part->second->feed_at.size(), " arguments, but ",
                                                     arguments.size(), " came"));
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
    auto run =
        std::make_shared<OutstandingRun>(session->core, std::move(what), std::move(arguments), options, tell);
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
    TROUPE_ASSIGN_OR_RETURN(Session* const session, sessions_.find(want.session(), m.from));
    session->runs->cancel(want.step(), from_proto(want.why()));
    // What others still send for it is nobody's.
    parts_.steps->close(want.session(), want.step());
    m.reply(pack_nothing());
    return absl::OkStatus();
  }

  absl::Status inspect_part(const WorkerRequest& m) {
    wire::InspectPart want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(Session* const session, sessions_.find(want.session(), m.from));
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
      TROUPE_ASSIGN_OR_RETURN(Session* const session, sessions_.find(want.session(), m.from));
      devices = session->core->devices.get();
    }
    devices->clear_containers({want.containers().begin(), want.containers().end()});
    m.reply(pack_nothing());
    return absl::OkStatus();
  }

  WorkerParts parts_;
  HostedSessions sessions_;
  uint64_t last_part_ = 0;
  bool draining_ = false;
};

}  // namespace

caf::actor spawn_worker(caf::actor_system& system, WorkerParts parts) {
  return system.spawn<WorkerImpl, caf::hidden>(std::move(parts));
}

}  // namespace troupe
