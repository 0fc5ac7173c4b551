#include "actors/actor_session_factory.h"

#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/session.h"
#include "graph/status.h"

namespace troupe {
namespace {

class ActorSessionFactory final : public SessionFactory {
 public:
  using Accepts = std::function<bool(const std::string& target)>;

  ActorSessionFactory(Accepts accepts, SessionFactoryActor actor)
      : accepts_(std::move(accepts)), actor_(std::move(actor)) {}

  bool accepts(const SessionOptions& options) const override { return accepts_(options.target); }

  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) override {
    TROUPE_ASSIGN_OR_RETURN(const SessionActor opened, ask_actor<SessionActor>(OpenSession{options}));
    return adopt_session(opened);
  }

  absl::Status reset(const SessionOptions& options, const std::vector<std::string>& containers) override {
    return ask_actor<Done>(ResetRequest{containers, options}).status();
  }

 private:
  template <class Reply, class Message>
  absl::StatusOr<Reply> ask_actor(Message message) const {
    if (!actor_) return absl::InvalidArgumentError("The session factory has no actor.");
    return ask<Reply>(actor_.home_system(), actor_, std::move(message));
  }

  const Accepts accepts_;
  const SessionFactoryActor actor_;
};

}  // namespace

std::shared_ptr<SessionFactory> make_actor_session_factory(std::string prefix, SessionFactoryActor actor) {
  auto accepts = [prefix = std::move(prefix)](const std::string& target) {
    return !prefix.empty() && absl::StartsWith(target, prefix);
  };
  return std::make_shared<ActorSessionFactory>(std::move(accepts), std::move(actor));
}

std::shared_ptr<SessionFactory> make_direct_session_factory(RuntimeActor runtime) {
  auto accepts = [](const std::string& target) { return target.empty(); };
  return std::make_shared<ActorSessionFactory>(accepts, std::move(runtime));
}

}  // namespace troupe
