#include <caf/all.hpp>
#include <map>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/open_questions.h"
#include "actors/runtime_impl.h"
#include "actors/session_actor.h"

namespace troupe {
namespace {

/// A DEVICE answers at once, or is gone.
constexpr std::chrono::seconds kDevicePatience{1};

class RuntimeActorImpl final : public RuntimeActor::base {
 public:
  RuntimeActorImpl(caf::actor_config& config, std::shared_ptr<Runtime::Impl> impl)
      : RuntimeActor::base(config), impl_(std::move(impl)) {}

  const char* name() const override { return "runtime"; }

  void on_exit() override {
    reports_.fail(absl::CancelledError("the runtime has ended"));
    // It refers to this actor, and would keep it for ever.
    impl_ = nullptr;
  }

  behavior_type make_behavior() override {
    return {
        [this](const OpenSession& m) -> caf::result<SessionActor> { return open(m.options); },
        [this](const ResetRequest& m) -> caf::result<Done> { return reset(m); },
        [this](RuntimeStatusRequest) -> caf::result<RuntimeStatus> { return status(); },
    };
  }

 private:
  caf::result<SessionActor> open(const SessionOptions& options) {
    if (auto s = impl_->check_running(); !s.ok()) return to_error(s);
    if (auto s = check_metadata(options); !s.ok()) return to_error(s);
    if (auto s = check_handle(options); !s.ok()) return to_error(s);
    auto core = impl_->make_core(options);
    if (!core.ok()) return to_error(core.status());
    (*core)->actor = spawn_session(system(), *core);
    if (auto s = impl_->add_session(*core); !s.ok()) {
      send_exit((*core)->actor, caf::exit_reason::user_shutdown);
      return to_error(s);
    }
    (*core)->warn_once(options.without_meaning);
    return (*core)->actor;
  }

  /// experimental.session_metadata names a session; the name is free again once it is closed.
  absl::Status check_metadata(const SessionOptions& options) const {
    if (!options.has_metadata) return absl::OkStatus();
    if (options.metadata_version < 0) {
      return absl::InvalidArgumentError(absl::StrCat("Session version shouldn't be negative: name: \"",
                                                     options.metadata_name,
                                                     "\" version: ", options.metadata_version));
    }
    for (const auto& core : impl_->live_sessions()) {
      const SessionOptions& other = core->options;
      if (!other.has_metadata || other.metadata_name != options.metadata_name) continue;
      if (other.metadata_version != options.metadata_version) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("A session with the same name and version has already been created: name: \"",
                       options.metadata_name, "\" version: ", options.metadata_version));
    }
    return absl::OkStatus();
  }

  /// A client's name for its session; free again once that is closed.
  absl::Status check_handle(const SessionOptions& options) const {
    if (options.handle.empty()) return absl::OkStatus();
    for (const auto& core : impl_->live_sessions()) {
      if (core->options.handle == options.handle)
        return absl::AlreadyExistsError(
            absl::StrCat("A session with the session_handle \"", options.handle, "\" is open already."));
    }
    return absl::OkStatus();
  }

  caf::result<Done> reset(const ResetRequest& m) {
    for (const auto& core : impl_->live_sessions()) {
      core->clear_containers(m.containers);
      core->gate.shut();
      if (core->actor) caf::anon_send(core->actor, CloseRequest{});
    }
    return Done{};
  }

  /// What this actor knows, and what the DEVICEs say.
  caf::result<RuntimeStatus> status() {
    auto promise = make_response_promise<RuntimeStatus>();
    const std::vector<DeviceActor> devices = impl_->devices();
    RuntimeStatus so_far = describe();
    so_far.device_loads.resize(devices.size());
    const int64_t id = reports_.open(promise, std::move(so_far), devices.size());
    for (size_t i = 0; i < devices.size(); ++i) {
      request(devices[i], kDevicePatience, DeviceStatusRequest{})
          .then([this, id, i](const DeviceStatus& s) { note(id, i, s); },
                [this, id, i](caf::error&) { note(id, i, {}); });
    }
    return promise;
  }

  void note(int64_t id, size_t device, const DeviceStatus& s) {
    RuntimeStatus& all = reports_.answer(id);
    all.batches += s.batches;
    all.kernels_launched += s.kernels_launched;
    all.kernels_waiting += s.kernels_waiting;
    all.steps.insert(all.steps.end(), s.steps.begin(), s.steps.end());
    all.device_loads[device] = {absl::StrCat("CPU:", device), s.batches, s.kernels_launched,
                                s.kernels_waiting, s.steps};
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
          {core->id, core->actor.address(), core->options.metadata_name, core->counters()});
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

  std::shared_ptr<Runtime::Impl> impl_;
};

}  // namespace

RuntimeActor spawn_runtime(caf::actor_system& system, std::shared_ptr<Runtime::Impl> impl) {
  return system.spawn<RuntimeActorImpl, caf::hidden>(std::move(impl));
}

}  // namespace troupe
