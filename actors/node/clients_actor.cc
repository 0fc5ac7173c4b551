#include "actors/node/clients_actor.h"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/container_names.h"
#include "actors/errors.h"
#include "actors/node/client_messages.h"
#include "actors/node/client_runs.h"
#include "actors/node/leaves_last.h"
#include "actors/node/status_proto.h"
#include "actors/session_core.h"
#include "actors/units/on_senders_thread.h"
#include "devices/cancellation.h"
#include "devices/cpu/cpu_device.h"
#include "graph/status.h"
#include "graph/thrown.h"
#include "proto/client_wire.pb.h"
#include "proto/graph.pb.h"

namespace troupe {
namespace {

using Texts = google::protobuf::RepeatedPtrField<std::string>;

std::vector<std::string> texts(const Texts& list) { return {list.begin(), list.end()}; }

class ClientsImpl final : public LeavesLast<OnSendersThread<caf::event_based_actor>> {
 public:
  ClientsImpl(caf::actor_config& config, ClientsParts parts) : LeavesLast(config), parts_(std::move(parts)) {}

  const char* name() const override { return "clients"; }

  void on_exit() override {
    end_sessions();
    parts_ = {};
  }

  caf::behavior make_behavior() override {
    leave_when_asked();
    return {
        [this](const ClientRequest& m) { answer(m); },
        [this](const ClientLost& m) { lose(m.client); },
        [this](const ClientGraph& m) { change_graph(m); },
    };
  }

 private:
  struct Session {
    /// Whose it is: it ends with him.
    uint64_t client = 0;
    SessionActor actor;
    std::shared_ptr<SessionCore> core;
    std::shared_ptr<ClientRuns> runs = std::make_shared<ClientRuns>();
  };
  /// One whose SESSION is being made.
  struct Opening {
    uint64_t client = 0;
    /// Cancelled: nobody wants it any more.
    std::shared_ptr<CancellationToken> given_up;
  };

  bool is_opening() const override { return !opening_.empty(); }
  void end_sessions() override {
    end_all([](const auto&) { return true; }, [this](ClientRuns& runs) { runs.leave(left()); });
  }
  absl::Status left() const {
    return absl::UnavailableError(absl::StrCat(parts_.task.to_string(), " has left"));
  }

  /// Every request is answered: here when it is refused, else by whoever does it.
  void answer(const ClientRequest& m) {
    if (is_leaving()) return m.reply(left());
    absl::Status refused;
    switch (m.method) {
      case Method::kOpenSession: refused = open(m); break;
      case Method::kExtendSession: refused = extend(m); break;
      case Method::kCloseSession: refused = close(m); break;
      case Method::kResetSessions: refused = reset(m); break;
      case Method::kRunStep: refused = run_step(m); break;
      case Method::kCallCallable: refused = call_callable(m); break;
      case Method::kCancelRun: refused = cancel_run(m); break;
      case Method::kSetUpPartialRun: refused = set_up_partial_run(m); break;
      case Method::kPrepareCallable: refused = prepare_callable(m); break;
      case Method::kDropCallable: refused = drop_callable(m); break;
      default:
        refused = absl::UnimplementedError(absl::StrCat(parts_.task.to_string(), " knows no method ",
                                                        static_cast<int>(m.method), " of clients"));
    }
    if (!refused.ok()) m.reply(refused);
  }

  /// What becomes of a session's runs when it ends: each is answered when it has ended.
  using StopRuns = std::function<void(ClientRuns&)>;

  static StopRuns cancel_for(const std::string& why) {
    return [why](ClientRuns& runs) { runs.cancel_all(why); };
  }

  static auto fail(const NodeReply& reply) {
    return [reply](caf::error& error) { reply(to_status(error)); };
  }

  // --- sessions ---

  /// Aborted when it is not there, or another client's: it was, before its connection was lost.
  absl::StatusOr<Session*> find(const ClientRequest& m, uint64_t id) {
    const auto found = sessions_.find(id);
    if (found != sessions_.end() && found->second.client == m.client) return &found->second;
    return absl::AbortedError(absl::StrCat(
        "Session ", absl::Hex(id, absl::kZeroPad16), " is not found on ", parts_.task.to_string(),
        ": it was closed or reset, its client was lost, or the node has been started again"));
  }

  absl::Status open(const ClientRequest& m) {
    wire::OpenSession want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_RETURN_IF_ERROR(check_room(m.client));
    TROUPE_ASSIGN_OR_RETURN(SessionOptions options, SessionOptions::from_config(want.config()));
    options.target = parts_.target;
    const uint64_t id = new_incarnation();
    options.given_up = std::make_shared<CancellationToken>();
    opening_.emplace(id, Opening{m.client, options.given_up});
    request(parts_.runtime, caf::infinite, troupe::OpenSession{std::move(options)})
        .then([this, m, id](const SessionActor& actor) { take_core(m, id, actor); },
              [this, m, id](caf::error& error) { not_opened(m, id, to_status(error)); });
    return absl::OkStatus();
  }

  absl::Status check_room(uint64_t client) const {
    const auto is_his = [&](const auto& session) { return session.second.client == client; };
    const auto his = std::count_if(sessions_.begin(), sessions_.end(), is_his) +
                     std::count_if(opening_.begin(), opening_.end(), is_his);
    if (static_cast<size_t>(his) < parts_.max_sessions_of_client) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "The client has ", his, " sessions on ", parts_.task.to_string(), " and gets no more: close one"));
  }

  void take_core(const ClientRequest& m, uint64_t id, const SessionActor& actor) {
    request(actor, caf::infinite, CoreRequest{})
        .then([this, m, id, actor](const CoreReply& reply) { opened(m, id, actor, reply.core); },
              [this, m, id](caf::error& error) { not_opened(m, id, to_status(error)); });
  }

  void opened(const ClientRequest& m, uint64_t id, const SessionActor& actor,
              const std::shared_ptr<SessionCore>& core) {
    const auto given_up = opening_.extract(id).mapped().given_up;
    if (given_up->cancelled()) {
      send_exit(actor, caf::exit_reason::user_shutdown);
      m.reply(given_up->reason());
      return quit_if_left();
    }
    Session& session = sessions_[id];
    session.client = m.client;
    session.actor = actor;
    session.core = core;
    wire::OpenedSession out;
    out.set_session(id);
    to_proto(*core->devices, out.mutable_devices());
    m.reply(pack(out));
  }

  void not_opened(const ClientRequest& m, uint64_t id, const absl::Status& why) {
    opening_.erase(id);
    m.reply(why);
    quit_if_left();
  }

  absl::Status close(const ClientRequest& m) {
    wire::CloseSession want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_RETURN_IF_ERROR(find(m, want.session()).status());
    end(sessions_.extract(want.session()).mapped(), cancel_for("Session has been closed."));
    m.reply(pack_nothing());
    return absl::OkStatus();
  }

  static void end(const Session& session, const StopRuns& stop) {
    stop(*session.runs);
    caf::anon_send_exit(session.actor, caf::exit_reason::user_shutdown);
  }

  void lose(uint64_t client) {
    end_all([client](const auto& session) { return session.client == client; },
            cancel_for("its client is gone"));
  }

  template <class IsOver>
  void end_all(const IsOver& is_over, const StopRuns& stop) {
    absl::erase_if(sessions_, [&](const auto& entry) {
      if (!is_over(entry.second)) return false;
      end(entry.second, stop);
      return true;
    });
    for (const auto& [id, opening] : opening_) {
      if (is_over(opening))
        opening.given_up->cancel(
            absl::CancelledError("the client is gone, the node, or its sessions have been reset"));
    }
  }

  absl::Status reset(const ClientRequest& m) {
    wire::ResetSessions want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    std::vector<std::string> containers = texts(want.containers());
    TROUPE_RETURN_IF_ERROR(check_reset_containers(containers));
    SessionOptions options;
    options.target = parts_.target;
    options.config = want.config();
    end_all([](const auto&) { return true; }, cancel_for("the node's sessions have been reset"));
    request(parts_.runtime, caf::infinite, ResetRequest{std::move(containers), std::move(options)})
        .then([reply = m.reply](Done) { reply(pack_nothing()); }, fail(m.reply));
    return absl::OkStatus();
  }

  // --- graphs ---

  /// The graph's bytes are a tensor, and read on the compile pool.
  absl::Status extend(const ClientRequest& m) {
    wire::ExtendSession want;
    std::vector<Tensor> tensors;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want, &tensors));
    TROUPE_ASSIGN_OR_RETURN(const Session* const session, find(m, want.session()));
    if (tensors.size() != 1 || tensors[0].dtype() != DataType::kUint8)
      return absl::InvalidArgumentError("an extension without the bytes of its graph");
    session->core->compilers->run([me = caf::actor(this), m, id = want.session(), bytes = tensors[0]] {
      auto graph = std::make_shared<tensorflow::GraphDef>();
      const absl::Status read = guarded("reading a graph", [&] {
        const bool good = graph->ParseFromArray(bytes.raw(), static_cast<int>(bytes.num_elements()));
        return good ? absl::OkStatus() : absl::InvalidArgumentError("the graph is no GraphDef");
      });
      caf::anon_send(me, ClientGraph{m, id, read, graph});
    });
    return absl::OkStatus();
  }

  void change_graph(const ClientGraph& m) {
    if (!m.status.ok()) return m.request.reply(m.status);
    const absl::StatusOr<Session*> session = find(m.request, m.session);
    if (!session.ok()) return m.request.reply(session.status());
    // Large graphs are not freed here.
    auto tell = [core = (*session)->core, graph = m.graph,
                 reply = m.request.reply](const absl::StatusOr<absl::Cord>& answer) mutable {
      core->free_later(std::move(graph));
      reply(answer);
    };
    auto changed = [tell](Done) mutable { tell(pack_nothing()); };
    auto failed = [tell](caf::error& error) mutable { tell(to_status(error)); };
    // A session that was opened without nodes has no graph to extend yet.
    if ((*session)->core->has_graph)
      request((*session)->actor, caf::infinite, ExtendGraph{m.graph, nullptr}).then(changed, failed);
    else
      request((*session)->actor, caf::infinite, CreateGraph{m.graph, nullptr}).then(changed, failed);
  }

  // --- runs ---

  absl::Status run_step(const ClientRequest& m) {
    wire::RunStep want;
    std::vector<Tensor> values;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want, &values));
    TROUPE_ASSIGN_OR_RETURN(const Session* const session, find(m, want.session()));
    if (!want.partial_run().empty()) return take_turn(*session, want, std::move(values), m.reply);
    return begin_step(session->core, session->runs, want, std::move(values), m.reply);
  }

  absl::Status take_turn(const Session& session, const wire::RunStep& turn, std::vector<Tensor> values,
                         const NodeReply& reply) {
    TROUPE_ASSIGN_OR_RETURN(std::vector<NamedTensor> feeds, feeds_of(turn, std::move(values)));
    TROUPE_RETURN_IF_ERROR(session.runs->open(turn.run()));
    session.runs->set_cancel(turn.run(),
                             [actor = session.actor, handle = turn.partial_run()](const std::string& reason) {
                               caf::anon_send(actor, EndPartialRun{handle, reason});
                             });
    const RunCallback ended = answer_by(session.runs, turn.run(), reply);
    request(session.actor, caf::infinite,
            PartialRunRequest{turn.partial_run(), std::move(feeds), texts(turn.fetches())})
        .then([ended](RunReply& result) { ended(std::move(result.fetches), result.stats); },
              [ended](caf::error& error) { ended(to_status(error), {}); });
    return absl::OkStatus();
  }

  absl::Status call_callable(const ClientRequest& m) {
    wire::CallCallable want;
    std::vector<Tensor> feeds;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want, &feeds));
    TROUPE_ASSIGN_OR_RETURN(const Session* const session, find(m, want.session()));
    return begin_callable(session->core, session->runs, want, std::move(feeds), m.reply);
  }

  absl::Status cancel_run(const ClientRequest& m) {
    wire::CancelRun want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(const Session* const session, find(m, want.session()));
    session->runs->cancel(want.run(), "its client no longer waits for it");
    m.reply(pack_nothing());
    return absl::OkStatus();
  }

  absl::Status set_up_partial_run(const ClientRequest& m) {
    wire::SetUpPartialRun want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(const Session* const session, find(m, want.session()));
    PartialRunSetup setup{texts(want.feeds()), texts(want.fetches()), texts(want.targets()), {}};
    request(session->actor, caf::infinite, std::move(setup))
        .then(
            [reply = m.reply](const std::string& handle, const PartialRunActor&) {
              wire::PartialRunReady out;
              out.set_handle(handle);
              reply(pack(out));
            },
            fail(m.reply));
    return absl::OkStatus();
  }

  absl::Status prepare_callable(const ClientRequest& m) {
    wire::PrepareCallable want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(const Session* const session, find(m, want.session()));
    TROUPE_ASSIGN_OR_RETURN(const CallableOptions options, CallableOptions::from_bytes(want.options()));
    request(session->actor, caf::infinite, MakeCallable{options})
        .then(
            [reply = m.reply](const CallableReply& made) {
              wire::PreparedCallable out;
              out.set_callable(made.handle);
              reply(pack(out));
            },
            fail(m.reply));
    return absl::OkStatus();
  }

  absl::Status drop_callable(const ClientRequest& m) {
    wire::DropCallable want;
    TROUPE_RETURN_IF_ERROR(unpack(m.body, &want));
    TROUPE_ASSIGN_OR_RETURN(const Session* const session, find(m, want.session()));
    TROUPE_RETURN_IF_ERROR(session->core->release_callable(want.callable()));
    m.reply(pack_nothing());
    return absl::OkStatus();
  }

  ClientsParts parts_;
  /// By the random numbers that their clients were told.
  absl::flat_hash_map<uint64_t, Session> sessions_;
  absl::flat_hash_map<uint64_t, Opening> opening_;
};

}  // namespace

caf::actor spawn_clients(caf::actor_system& system, ClientsParts parts) {
  return system.spawn<ClientsImpl, caf::hidden>(std::move(parts));
}

}  // namespace troupe
