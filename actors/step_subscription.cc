#include "actors/step_subscription.h"

#include <caf/all.hpp>

#include <mutex>

#include "actors/errors.h"
#include "actors/interfaces.h"
#include "actors/session_core.h"
#include "graph/thrown.h"

namespace troupe {

struct StepSubscription::Ear {
  StepListener actor;
  /// The function may end the subscription.
  std::recursive_mutex mu;
  std::shared_ptr<const Hear> hear;  // guarded by mu
};

absl::StatusOr<StepSubscription> StepSubscription::begin(SessionCore& core, Hear hear,
                                                         std::chrono::milliseconds slow_after) {
  if (!hear) return absl::InvalidArgumentError("There is no function to hear of steps.");
  StepSubscription subscription;
  const auto ear = subscription.ear_ = std::make_shared<Ear>();
  ear->hear = std::make_shared<const Hear>(std::move(hear));
  // Both hold each other until the actor ends.
  ear->actor = core.system->spawn<caf::hidden>([ear](StepListener::pointer) -> StepListener::behavior_type {
    return {[ear](const StepEvent& event) {
      std::lock_guard lock(ear->mu);
      const auto hear = ear->hear;
      if (hear == nullptr) return;
      (void)guarded("a subscriber to steps", [&] {
        (*hear)(event);
        return absl::OkStatus();
      });
    }};
  });
  absl::Status status = absl::InternalError("no answer");
  caf::scoped_actor self{*core.system};
  // SESSION answers in its turn, and CAF for one that has gone: no timeout.
  self->request(core.actor, caf::infinite, Subscribe{ear->actor, slow_after})
      .receive([&](const Done&) { status = absl::OkStatus(); },
               [&](caf::error& error) { status = to_status(error); });
  if (!status.ok()) return status;
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
