#include "actors/step_subscription.h"

#include <caf/all.hpp>

#include <mutex>

#include "actors/ask.h"
#include "actors/interfaces.h"
#include "actors/session_core.h"
#include "graph/status.h"
#include "graph/thrown.h"

namespace troupe {

struct StepSubscription::Ear {
  StepListener actor;
  /// The function may end the subscription.
  std::recursive_mutex mu;
  std::shared_ptr<const Hear> hear;  // guarded by mu
};

/// Calls the function, until it ends or the function is gone.
class StepSubscription::Listener final : public StepListener::base {
 public:
  Listener(caf::actor_config& config, std::shared_ptr<Ear> ear)
      : StepListener::base(config), ear_(std::move(ear)) {}
  const char* name() const override { return "listener"; }
  void on_exit() override { ear_ = nullptr; }
  behavior_type make_behavior() override {
    return {[this](const StepEvent& event) {
      std::lock_guard lock(ear_->mu);
      const auto hear = ear_->hear;
      if (hear == nullptr) return;
      (void)guarded("a subscriber to steps", [&] {
        (*hear)(event);
        return absl::OkStatus();
      });
    }};
  }

 private:
  std::shared_ptr<Ear> ear_;
};

absl::StatusOr<StepSubscription> StepSubscription::begin(SessionCore& core, Hear hear,
                                                         std::chrono::milliseconds slow_after) {
  if (!hear) return absl::InvalidArgumentError("There is no function to hear of steps.");
  StepSubscription subscription;
  const auto ear = subscription.ear_ = std::make_shared<Ear>();
  ear->hear = std::make_shared<const Hear>(std::move(hear));
  // Both hold each other until the actor ends.
  ear->actor = core.system->spawn<Listener, caf::hidden>(ear);
  TROUPE_RETURN_IF_ERROR(ask<Done>(*core.system, core.actor, Subscribe{ear->actor, slow_after}).status());
  return subscription;
}

StepSubscription& StepSubscription::operator=(StepSubscription&& other) noexcept {
  std::swap(ear_, other.ear_);
  return *this;
}

StepSubscription::~StepSubscription() {
  if (ear_ == nullptr) return;
  {
    std::lock_guard lock(ear_->mu);
    ear_->hear = nullptr;
  }
  caf::anon_send_exit(ear_->actor, caf::exit_reason::user_shutdown);
}

}  // namespace troupe
