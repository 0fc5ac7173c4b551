#include "tests/actors/stress/factories.h"

#include <caf/all.hpp>

#include "absl/strings/match.h"
#include "actors/session.h"

namespace troupe::test {
namespace {

/// As the other runtime is to see them.
SessionOptions direct(SessionOptions options) {
  options.target.clear();
  return options;
}

class ObjectFactory final : public SessionFactory {
 public:
  explicit ObjectFactory(Runtime* elsewhere) : elsewhere_(elsewhere) {}
  bool accepts(const SessionOptions& options) const override {
    return absl::StartsWith(options.target, kObjectTarget);
  }
  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) override {
    return Session::open(*elsewhere_, direct(options));
  }
  absl::Status reset(const SessionOptions& options, const std::vector<std::string>& containers) override {
    return Session::reset(*elsewhere_, direct(options), containers);
  }

 private:
  Runtime* const elsewhere_;
};

class FactoryActor final : public SessionFactoryActor::base {
 public:
  FactoryActor(caf::actor_config& config, RuntimeActor elsewhere)
      : SessionFactoryActor::base(config), elsewhere_(std::move(elsewhere)) {}
  void on_exit() override { elsewhere_ = nullptr; }
  behavior_type make_behavior() override {
    return {
        [this](const OpenSession& m) -> caf::result<SessionActor> {
          return delegate(elsewhere_, OpenSession{direct(m.options)});
        },
        [this](const ResetRequest& m) -> caf::result<Done> {
          return delegate(elsewhere_, ResetRequest{m.containers, direct(m.options)});
        },
    };
  }

 private:
  RuntimeActor elsewhere_;
};

}  // namespace

std::shared_ptr<SessionFactory> make_object_factory(Runtime* elsewhere) {
  return std::make_shared<ObjectFactory>(elsewhere);
}

SessionFactoryActor spawn_factory_actor(Runtime& elsewhere) {
  return elsewhere.system().spawn<FactoryActor>(runtime_actor(elsewhere));
}

}  // namespace troupe::test
