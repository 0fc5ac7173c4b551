#include <caf/all.hpp>

#include "actors/errors.h"
#include "actors/runtime_impl.h"
#include "actors/session_actor.h"

namespace troupe {
namespace {

class RuntimeActorImpl final : public RuntimeActor::base {
 public:
  RuntimeActorImpl(caf::actor_config& config, Runtime::Impl* impl)
      : RuntimeActor::base(config), impl_(impl) {}

  const char* name() const override { return "runtime"; }

  behavior_type make_behavior() override {
    return {
        [this](const OpenSession& m) -> caf::result<SessionActor> { return open(m.options); },
        [this](const ResetRequest& m) -> caf::result<Done> { return reset(m); },
        [this](RuntimeStatusRequest) -> caf::result<RuntimeStatus> { return status(); },
    };
  }

 private:
  caf::result<SessionActor> open(const SessionOptions& options) {
    auto core = impl_->make_core(options);
    if (!core.ok()) return to_error(core.status());
    (*core)->actor = spawn_session(system(), *core);
    impl_->add_session(*core);
    return (*core)->actor;
  }

  caf::result<Done> reset(const ResetRequest& m) {
    for (const auto& core : impl_->live_sessions()) {
      for (int i = 0; i < core->devices->size(); ++i) {
        ResourceManager& r = core->devices->at(i)->resources();
        if (m.containers.empty()) r.clear_container(r.default_container());
        for (const std::string& c : m.containers) r.clear_container(c);
      }
      core->closed = true;
      if (core->actor) caf::anon_send(core->actor, CloseRequest{});
    }
    return Done{};
  }

  caf::result<RuntimeStatus> status() {
    RuntimeStatus s;
    s.sessions = static_cast<int64_t>(impl_->live_sessions().size());
    s.memory = impl_->host_memory->stats();
    return s;
  }

  Runtime::Impl* const impl_;
};

}  // namespace

RuntimeActor spawn_runtime(caf::actor_system& system, Runtime::Impl* impl) {
  return system.spawn<RuntimeActorImpl, caf::hidden>(impl);
}

}  // namespace troupe
