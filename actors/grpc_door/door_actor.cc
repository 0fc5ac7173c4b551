#include "actors/grpc_door/door_actor.h"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/cluster/device_filters.h"
#include "actors/container_names.h"
#include "actors/errors.h"
#include "actors/grpc_door/closing_sessions.h"
#include "actors/grpc_door/device_list.h"
#include "actors/grpc_door/master_words.h"
#include "actors/grpc_door/openings.h"
#include "actors/grpc_door/run_calls.h"
#include "actors/grpc_door/session_config.h"
#include "actors/session_core.h"
#include "devices/cpu/cpu_device.h"
#include "graph/status.h"
#include "graph/tensor/tensor.h"

namespace troupe {
namespace {

/// Between two looks at sessions that are being closed.
constexpr std::chrono::milliseconds kClosingPause{5};
/// Sessions that are idle too long are closed so much too late at most.
constexpr std::chrono::milliseconds kMaxCollectPause{10'000};

std::vector<std::string> texts(const google::protobuf::RepeatedPtrField<std::string>& list) {
  return {list.begin(), list.end()};
}

/// The graph that a call brings, for as long as somebody looks at it.
template <class ThisCall>
std::shared_ptr<const tensorflow::GraphDef> graph_of(const std::shared_ptr<ThisCall>& call) {
  return {call, &call->request.graph_def()};
}

class DoorImpl final : public DoorActor::base {
 public:
  DoorImpl(caf::actor_config& config, DoorParts parts)
      : DoorActor::base(config), parts_(std::move(parts)), sessions_(*parts_.sessions) {}

  const char* name() const override { return "door"; }

  void on_exit() override {
    openings_.give_up_all(absl::AbortedError("The server is shutting down."));
    for (const auto& session : sessions_.all()) {
      sessions_.remove(session->handle);
      caf::anon_send_exit(session->actor, caf::exit_reason::user_shutdown);
    }
    closing_.give_up();
    // What timers still refer to this actor keeps nothing of the runtime's: first the devices, then what they are made of.
    parts_.devices = nullptr;
    parts_.make_devices = nullptr;
    parts_.runtime = nullptr;
  }

  behavior_type make_behavior() override {
    collect_later();
    return {
        [this](const Serve<CreateSessionCall>& m) { create(m.call); },
        [this](const Serve<ExtendSessionCall>& m) { extend(m.call); },
        [this](const Serve<PartialRunSetupCall>& m) { set_up_partial_run(m.call); },
        [this](const Serve<RunStepCall>& m) { take_turn(m.call); },
        [this](const Serve<CloseSessionCall>& m) { close(m.call); },
        [this](const Serve<ResetCall>& m) { reset(m.call); },
        [this](const Serve<MakeCallableCall>& m) { make_callable(m.call); },
        [this](const Serve<ListDevicesCall>& m) { list_devices(m.call); },
        [this](CloseDoor) -> caf::result<Done> {
          auto promise = make_response_promise<Done>();
          openings_.give_up_all(absl::AbortedError("The server is shutting down."));
          close_all([promise]() mutable { promise.deliver(Done{}); });
          return promise;
        },
        [this](CheckClosing) { check_closing(); },
        [this](CollectIdle) {
          collect();
          collect_later();
        },
    };
  }

 private:
  /// Answers the call with an error of a SESSION's or of CAF's.
  template <class ThisCall>
  auto fail(std::shared_ptr<ThisCall> call) {
    return [this, call = std::move(call)](const caf::error& error) {
      call->finish(sessions_.told(to_status(error)));
    };
  }

  /// Asks a SESSION, which answers always (actors/ask.h).
  template <class Message>
  auto ask(const SessionActor& session, Message message) {
    return request(session, caf::infinite, std::move(message));
  }

  // --- sessions ---

  /// `called`: the target by which the client has called.
  absl::StatusOr<SessionOptions> options_of(const tensorflow::ConfigProto& asked, const std::string& called) {
    const bool brought = asked.has_cluster_def();
    if (brought && parts_.brought_target.empty()) {
      return absl::UnimplementedError(
          "ConfigProto.cluster_def: sessions of this server are of its own cluster, and cannot bring "
          "another.");
    }
    const bool over_tasks = brought || !parts_.target.empty();
    TROUPE_ASSIGN_OR_RETURN(SessionOptions options,
                            session_options(parts_.default_config, asked, over_tasks));
    options.target = brought ? absl::StrCat(parts_.brought_target, "/", called) : parts_.target;
    if (over_tasks) return options;
    options.devices = parts_.devices;
    if (asked.isolate_session_state() || parts_.default_config.isolate_session_state()) {
      TROUPE_ASSIGN_OR_RETURN(options.devices, parts_.make_devices());
    }
    return options;
  }

  void create(const std::shared_ptr<CreateSessionCall>& call) {
    auto options = options_of(call->request.config(), call->request.target());
    if (!options.ok()) return call->finish(options.status());
    if (const absl::Status full = sessions_.reserve(call->client); !full.ok()) return call->finish(full);
    open(
        call, *std::move(options), [this, call](const SessionActor& actor) { take_core(call, actor); },
        [this, call](const caf::error& error) { not_created(*call, {}, to_status(error)); });
  }

  /// A session for a call. It may wait for other tasks, but no longer than the client does.
  template <class ThisCall, class Then, class Failed>
  void open(const std::shared_ptr<ThisCall>& call, SessionOptions options, Then then, Failed failed) {
    const auto given_up = options.given_up = openings_.add(*call);
    request(parts_.runtime, caf::infinite, OpenSession{std::move(options)})
        .then(
            [this, given_up, then = std::move(then)](const SessionActor& actor) {
              openings_.remove(given_up);
              then(actor);
            },
            [this, given_up, failed = std::move(failed)](const caf::error& error) {
              openings_.remove(given_up);
              failed(error);
            });
  }

  void take_core(const std::shared_ptr<CreateSessionCall>& call, const SessionActor& actor) {
    ask(actor, CoreRequest{})
        .then(
            [this, call, actor](const CoreReply& reply) {
              auto session = std::make_shared<DoorSession>();
              session->handle = absl::StrCat(absl::Hex(new_incarnation(), absl::kZeroPad16));
              session->client = call->client;
              session->actor = actor;
              session->core = reply.core;
              session->last_used = reply.core->now();
              give_graph(call, session);
            },
            [this, call, actor](const caf::error& error) { not_created(*call, actor, to_status(error)); });
  }

  void give_graph(const std::shared_ptr<CreateSessionCall>& call,
                  const std::shared_ptr<DoorSession>& session) {
    ask(session->actor, CreateGraph{graph_of(call), nullptr})
        .then(
            [this, call, session](Done) {
              // Nobody would know its handle.
              if (call->cancelled() || sessions_.stopping())
                return not_created(*call, session->actor, absl::CancelledError("The client is gone."));
              sessions_.add(session);
              call->response.set_session_handle(session->handle);
              call->response.set_graph_version(session->graph_version);
              call->finish(absl::OkStatus());
            },
            [this, call, session](const caf::error& error) {
              not_created(*call, session->actor, to_status(error));
            });
  }

  void not_created(CreateSessionCall& call, const SessionActor& actor, const absl::Status& why) {
    sessions_.unreserve(call.client);
    if (actor) send_exit(actor, caf::exit_reason::user_shutdown);
    call.finish(sessions_.told(why));
  }

  /// One after the other: each must name the version that the one before has left.
  void extend(const std::shared_ptr<ExtendSessionCall>& call) {
    const auto use = sessions_.use(call->request.session_handle());
    if (!use.ok()) return call->finish(use.status());
    const std::shared_ptr<DoorSession>& session = (*use)->session();
    session->extensions.push_back(call);
    if (session->extensions.size() == 1) extend_next(session);
  }

  void extend_next(const std::shared_ptr<DoorSession>& session) {
    while (!session->extensions.empty()) {
      const std::shared_ptr<ExtendSessionCall> call = session->extensions.front();
      if (call->request.current_graph_version() == session->graph_version)
        return make_extension(call, session);
      call->finish(absl::AbortedError(absl::StrCat("Current version is ", session->graph_version,
                                                   " but caller expected ",
                                                   call->request.current_graph_version(), ".")));
      session->extensions.pop_front();
    }
  }

  void make_extension(const std::shared_ptr<ExtendSessionCall>& call,
                      const std::shared_ptr<DoorSession>& session) {
    auto use = std::make_shared<SessionUse>(session);
    auto extended = [this, call, session, use](const absl::Status& status) {
      if (status.ok()) call->response.set_new_graph_version(++session->graph_version);
      call->finish(sessions_.told(status));
      session->extensions.pop_front();
      extend_next(session);
    };
    auto succeeded = [extended](Done) { extended(absl::OkStatus()); };
    auto failed = [extended](const caf::error& error) { extended(to_status(error)); };
    // A session that was opened without nodes has no graph to extend yet.
    if (session->core->has_graph)
      ask(session->actor, ExtendGraph{graph_of(call), nullptr}).then(succeeded, failed);
    else
      ask(session->actor, CreateGraph{graph_of(call), nullptr}).then(succeeded, failed);
  }

  void close(const std::shared_ptr<CloseSessionCall>& call) {
    const std::string& handle = call->request.session_handle();
    auto session = sessions_.remove(handle);
    if (session == nullptr) {
      return call->finish(absl::AbortedError(
          absl::StrCat("Session ", handle, " is not found. Possibly, this master has restarted.")));
    }
    close_sessions({std::move(session)}, [call] { call->finish(absl::OkStatus()); });
  }

  /// Cancels what runs, and calls `then` when it has ended, or nearly ever.
  void close_sessions(std::vector<std::shared_ptr<DoorSession>> sessions, std::function<void()> then) {
    for (const auto& session : sessions) {
      session->core->gate.shut();
      caf::anon_send(session->actor, CloseRequest{});
    }
    if (closing_.empty()) delayed_send(this, kClosingPause, CheckClosing{});
    closing_.add(std::move(sessions), clock().now() + parts_.close_patience, std::move(then));
  }

  void check_closing() {
    closing_.look(clock().now());
    if (!closing_.empty()) delayed_send(this, kClosingPause, CheckClosing{});
  }

  void close_all(std::function<void()> then) {
    auto sessions = sessions_.all();
    for (const auto& session : sessions) sessions_.remove(session->handle);
    close_sessions(std::move(sessions), std::move(then));
  }

  void reset(const std::shared_ptr<ResetCall>& call) {
    std::vector<std::string> containers = texts(call->request.container());
    const absl::Status good = check_reset_containers(containers);
    if (!good.ok()) return call->finish(good);
    const auto filters = DeviceFilters::parse(texts(call->request.device_filters()));
    if (!filters.ok()) return call->finish(filters.status());
    close_all([this, call, ours = filters->pass(parts_.task), containers = std::move(containers)] {
      if (!parts_.target.empty()) return clear_tasks(call, containers);
      if (ours) parts_.devices->clear_containers(containers);
      call->finish(absl::OkStatus());
    });
  }

  /// On all tasks that the call's filters let through.
  void clear_tasks(const std::shared_ptr<ResetCall>& call, const std::vector<std::string>& containers) {
    tensorflow::ConfigProto filters;
    *filters.mutable_device_filters() = call->request.device_filters();
    SessionOptions options;
    options.target = parts_.target;
    options.config = filters.SerializeAsString();
    request(parts_.runtime, caf::infinite, ResetRequest{containers, std::move(options)})
        .then([call](Done) { call->finish(absl::OkStatus()); }, fail(call));
  }

  /// What a session that is opened without saying more has.
  void list_devices(const std::shared_ptr<ListDevicesCall>& call) {
    if (parts_.devices != nullptr) {
      describe(*parts_.devices, &call->response);
      return call->finish(absl::OkStatus());
    }
    auto options = options_of({}, "");
    if (!options.ok()) return call->finish(options.status());
    open(
        call, *std::move(options), [this, call](const SessionActor& actor) { list_devices_of(call, actor); },
        fail(call));
  }

  void list_devices_of(const std::shared_ptr<ListDevicesCall>& call, const SessionActor& actor) {
    auto answer = [this, call, actor](const absl::Status& status) {
      send_exit(actor, caf::exit_reason::user_shutdown);
      call->finish(sessions_.told(status));
    };
    ask(actor, CoreRequest{})
        .then(
            [call, answer](const CoreReply& reply) {
              describe(*reply.core->devices, &call->response);
              answer(absl::OkStatus());
            },
            [answer](const caf::error& error) { answer(to_status(error)); });
  }

  // --- idle sessions ---

  void collect() {
    std::vector<std::shared_ptr<DoorSession>> idle;
    const auto limit = clock().now() - parts_.idle_limit;
    for (auto& session : sessions_.all()) {
      if (session->calls > 0 || session->last_used.load() > limit) continue;
      if (sessions_.remove(session->handle)) idle.push_back(std::move(session));
    }
    if (!idle.empty()) close_sessions(std::move(idle), [] {});
  }

  void collect_later() {
    if (parts_.idle_limit.count() <= 0) return;
    delayed_send(this, std::clamp(parts_.idle_limit / 4, kClosingPause, kMaxCollectPause), CollectIdle{});
  }

  // --- partial runs and callables ---

  void set_up_partial_run(const std::shared_ptr<PartialRunSetupCall>& call) {
    const auto& asked = call->request;
    const auto use = sessions_.use(asked.session_handle());
    if (!use.ok()) return call->finish(use.status());
    PartialRunSetup setup{texts(asked.feed()), texts(asked.fetch()), texts(asked.target()), {}};
    ask((**use)->actor, std::move(setup))
        .then(
            [call, use = *use](const std::string& handle, const PartialRunActor&) {
              call->response.set_partial_run_handle(handle);
              call->finish(absl::OkStatus());
            },
            fail(call));
  }

  void take_turn(const std::shared_ptr<RunStepCall>& call) {
    const absl::Status begun = begin_turn(call);
    if (!begun.ok()) finish_run(*call, sessions_, begun, {});
  }

  absl::Status begin_turn(const std::shared_ptr<RunStepCall>& call) {
    const auto& asked = call->request;
    TROUPE_ASSIGN_OR_RETURN(auto use, sessions_.use(asked.session_handle()));
    TROUPE_ASSIGN_OR_RETURN(auto feeds, feeds_of(*call));
    const SessionActor session = (*use)->actor;
    call->when_cancelled([session, handle = asked.partial_run_handle()] {
      caf::anon_send(session, EndPartialRun{handle, "its client no longer waits for it"});
    });
    ask(session, PartialRunRequest{asked.partial_run_handle(), std::move(feeds), texts(asked.fetch())})
        .then([this, call,
               use](RunReply& reply) { finish_run(*call, sessions_, std::move(reply.fetches), reply.stats); },
              [this, call, use](const caf::error& error) {
                finish_run(*call, sessions_, to_status(error), {});
              });
    return absl::OkStatus();
  }

  void make_callable(const std::shared_ptr<MakeCallableCall>& call) {
    const auto& asked = call->request;
    const auto use = sessions_.use(asked.session_handle());
    if (!use.ok()) return call->finish(use.status());
    if (asked.options().feed_devices_size() > 0 || asked.options().fetch_devices_size() > 0) {
      return call->finish(absl::UnimplementedError(
          "CallableOptions::feed_devices and CallableOptions::fetch_devices to configure feeding/fetching "
          "tensors to/from device memory is not yet supported when using a remote session."));
    }
    const auto options = CallableOptions::from_bytes(asked.options().SerializeAsString());
    if (!options.ok()) return call->finish(options.status());
    ask((**use)->actor, MakeCallable{*options})
        .then(
            [call, use = *use](const CallableReply& reply) {
              call->response.set_handle(reply.handle);
              call->finish(absl::OkStatus());
            },
            [this, call, use = *use](const caf::error& error) {
              call->finish(sessions_.told(as_master_says(to_status(error), call->request.options().fetch())));
            });
  }

  DoorParts parts_;
  DoorSessions& sessions_;
  ClosingSessions closing_;
  Openings openings_;
};

}  // namespace

DoorActor spawn_door(caf::actor_system& system, DoorParts parts) {
  return system.spawn<DoorImpl, caf::hidden>(std::move(parts));
}

}  // namespace troupe
