#include <caf/all.hpp>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/adopt_session.h"
#include "actors/errors.h"
#include "actors/open_questions.h"
#include "actors/remote_session_actor.h"
#include "actors/runtime_impl.h"
#include "actors/session.h"
#include "actors/session_actor.h"
#include "actors/units/on_askers_thread.h"
#include "devices/services.h"

namespace troupe {
namespace {

/// A DEVICE answers at once, or is gone.
constexpr std::chrono::seconds kDevicePatience{1};

class RuntimeActorImpl final : public OnAskersThread<RuntimeActor::base> {
 public:
  RuntimeActorImpl(caf::actor_config& config, std::shared_ptr<Runtime::Impl> impl)
      : OnAskersThread(config), impl_(std::move(impl)) {}

  const char* name() const override { return "runtime"; }

  void on_exit() override {
    const absl::Status ended = absl::CancelledError("the runtime has ended");
    reports_.fail(ended);
    for (auto& [number, promise] : std::exchange(opening_, {})) promise.deliver(to_error(ended));
    for (auto& [number, promise] : std::exchange(resetting_, {})) promise.deliver(to_error(ended));
    // It refers to this actor, and would keep it for ever.
    impl_ = nullptr;
  }

  behavior_type make_behavior() override {
    return {
        [this](const OpenSession& m) { return open(m.options); },
        [this](const ResetRequest& m) { return reset(m); },
        [this](RuntimeStatusRequest) -> caf::result<RuntimeStatus> { return status(); },
        [this](const FactoryOpened& m) { opened(m); },
        [this](const FactoryReset& m) { was_reset(m); },
        [this](LookAtSlots) { look_at_slots(); },
    };
  }

 private:
  caf::result<SessionActor> open(const SessionOptions& options) {
    if (auto s = impl_->check_running(); !s.ok()) return to_error(s);
    const auto factory = impl_->factories.find(options);
    if (!factory.ok()) return to_error(factory.status());
    return *factory == impl_->direct_sessions ? open_direct(options) : open_elsewhere(options);
  }

  caf::result<SessionActor> open_direct(const SessionOptions& options) {
    if (auto s = check_metadata(options); !s.ok()) return to_error(s);
    if (auto s = check_handle(options); !s.ok()) return to_error(s);
    auto core = impl_->make_core(options);
    if (!core.ok()) return to_error(core.status());
    (*core)->actor =
        options.master == nullptr ? spawn_session(system(), *core) : spawn_remote_session(system(), *core);
    if (auto s = impl_->add_session(*core); !s.ok()) {
      send_exit((*core)->actor, caf::exit_reason::user_shutdown);
      return to_error(s);
    }
    (*core)->warn_once(options.without_meaning);
    return (*core)->actor;
  }

  /// Factories of the application's may wait: on a thread that may.
  caf::result<SessionActor> open_elsewhere(const SessionOptions& options) {
    auto promise = make_response_promise<SessionActor>();
    const int64_t number = next_++;
    opening_.emplace(number, promise);
    const absl::Status begun = impl_->services->blocking.run(
        [impl = impl_, options, number, to = RuntimeActor(this)]() -> BlockingPool::Answer {
          auto session =
              std::make_shared<absl::StatusOr<std::unique_ptr<Session>>>(impl->factories.open(options));
          caf::anon_send(to, FactoryOpened{number, std::move(session)});
          return nullptr;
        });
    if (!begun.ok()) fail(opening_, number, begun);
    return promise;
  }

  void opened(const FactoryOpened& m) {
    if (!m.session->ok()) return fail(opening_, m.number, m.session->status());
    auto promise = opening_.extract(m.number);
    if (!promise.empty()) promise.mapped().deliver(release_session(*std::move(*m.session)));
  }

  template <class Promises>
  static void fail(Promises& promises, int64_t number, const absl::Status& why) {
    auto promise = promises.extract(number);
    if (!promise.empty()) promise.mapped().deliver(to_error(why));
  }

  /// experimental.session_metadata names a session; the name is free again once it is closed.
  absl::Status check_metadata(const SessionOptions& options) const {
    if (!options.has_metadata) return absl::OkStatus();
    if (options.metadata_version < 0) {
      return absl::InvalidArgumentError(absl::StrCat("Session version shouldn't be negative: name: \"",
                                                     options.metadata_name,
                                                     "\" version: ", options.metadata_version));
    }
    if (impl_->sessions().find_metadata(options) != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("A session with the same name and version has already been created: name: \"",
                       options.metadata_name, "\" version: ", options.metadata_version));
    }
    return absl::OkStatus();
  }

  /// A client's name for its session; free again once that is closed.
  absl::Status check_handle(const SessionOptions& options) const {
    if (impl_->sessions().find_handle(options) != nullptr) {
      return absl::AlreadyExistsError(
          absl::StrCat("A session with the session_handle \"", options.handle, "\" is open already."));
    }
    return absl::OkStatus();
  }

  caf::result<Done> reset(const ResetRequest& m) {
    const auto factory = impl_->factories.find(m.options);
    if (!factory.ok()) return to_error(factory.status());
    if (*factory != impl_->direct_sessions) return reset_elsewhere(m);
    for (const auto& core : impl_->live_sessions()) {
      // Those that share devices are for who shares them out to reset, those elsewhere for their factory.
      if (core->options->devices != nullptr || core->master != nullptr) continue;
      core->devices->clear_containers(m.containers);
      core->gate.shut();
      if (core->actor) caf::anon_send(core->actor, CloseRequest{});
    }
    return Done{};
  }

  caf::result<Done> reset_elsewhere(const ResetRequest& m) {
    auto promise = make_response_promise<Done>();
    const int64_t number = next_++;
    resetting_.emplace(number, promise);
    const absl::Status begun = impl_->services->blocking.run(
        [impl = impl_, m, number, to = RuntimeActor(this)]() -> BlockingPool::Answer {
          caf::anon_send(to, FactoryReset{number, impl->factories.reset(m.options, m.containers)});
          return nullptr;
        });
    if (!begun.ok()) fail(resetting_, number, begun);
    return promise;
  }

  void was_reset(const FactoryReset& m) {
    if (!m.status.ok()) return fail(resetting_, m.number, m.status);
    auto promise = resetting_.extract(m.number);
    if (!promise.empty()) promise.mapped().deliver(Done{});
  }

  /// To end actors takes a while.
  void look_at_slots() {
    impl_->compilers->run([impl = impl_] { look_at_some(impl); });
  }

  static void look_at_some(const std::shared_ptr<Runtime::Impl>& impl) {
    if (impl->idle_slots->look()) return impl->compilers->run([impl] { look_at_some(impl); });
    if (impl->idle_slots->none_watched()) impl->host_memory->rest();
  }

  /// What this actor knows, and what the DEVICEs say.
  caf::result<RuntimeStatus> status() {
    auto promise = make_response_promise<RuntimeStatus>();
    const std::map<std::string, DeviceActor> devices = impl_->devices();
    RuntimeStatus so_far = describe();
    for (const auto& [name, d] : devices) so_far.device_loads.emplace_back().name = name;
    const int64_t id = reports_.open(promise, std::move(so_far), devices.size());
    size_t i = 0;
    for (const auto& [name, d] : devices) {
      request(d, kDevicePatience, DeviceStatusRequest{})
          .then([this, id, i](const DeviceStatus& s) { note(id, i, s); },
                [this, id, i](caf::error&) { note(id, i, {}); });
      ++i;
    }
    return promise;
  }

  void note(int64_t id, size_t device, const DeviceStatus& s) {
    RuntimeStatus& all = reports_.answer(id);
    all.batches += s.batches;
    all.kernels_launched += s.kernels_launched;
    all.kernels_waiting += s.kernels_waiting;
    all.steps.insert(all.steps.end(), s.steps.begin(), s.steps.end());
    DeviceLoad& load = all.device_loads[device];
    load = {load.name, s.batches, s.kernels_launched, s.kernels_waiting, s.steps};
    reports_.one_answered(id);
  }

  RuntimeStatus describe() const {
    RuntimeStatus s;
    s.opens_sessions = impl_->check_running().ok();
    s.runs = impl_->meter->gone_runs();
    std::vector<std::shared_ptr<SessionCore>> sessions = impl_->known_sessions();
    for (const auto& core : sessions) s.runs += core->gate.runs();
    std::erase_if(sessions, [](const auto& core) { return core->closed(); });
    s.sessions = static_cast<int64_t>(sessions.size());
    for (const auto& core : sessions)
      s.open_sessions.push_back(
          {core->id, core->actor.address(), core->options->metadata_name, core->counters()});
    s.pools = impl_->pool_statuses();
    // Every session has devices of its own, by the same names: each name once.
    std::map<std::string, DeviceInfo> devices;
    for (const auto& core : sessions) {
      for (DeviceInfo& d : core->device_infos()) devices.try_emplace(d.name, d);
    }
    for (auto& [name, device] : devices) s.devices.push_back(std::move(device));
    s.memory = impl_->host_memory->stats();
    return s;
  }

  OpenQuestions<RuntimeStatus> reports_;
  /// Those for whom a factory of the application's is at work.
  absl::flat_hash_map<int64_t, caf::typed_response_promise<SessionActor>> opening_;
  absl::flat_hash_map<int64_t, caf::typed_response_promise<Done>> resetting_;
  int64_t next_ = 0;

  std::shared_ptr<Runtime::Impl> impl_;
};

}  // namespace

RuntimeActor spawn_runtime(caf::actor_system& system, std::shared_ptr<Runtime::Impl> impl) {
  return system.spawn<RuntimeActorImpl, caf::hidden>(std::move(impl));
}

}  // namespace troupe
