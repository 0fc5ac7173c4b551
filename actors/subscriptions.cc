#include "actors/subscriptions.h"

#include <caf/all.hpp>

#include <algorithm>

namespace troupe {

absl::Status Subscriptions::add(const std::shared_ptr<SessionCore>& core, const Subscribe& what) {
  if (core->closed()) return absl::CancelledError("Session has been closed.");
  if (what.listener == nullptr) return absl::InvalidArgumentError("Subscribe names no listener.");
  if (what.slow_after.count() < 0) return absl::InvalidArgumentError("Subscribe: slow_after is below zero.");
  absl::Status added = core->listeners.add(what.listener, what.slow_after);
  if (!added.ok()) return added;
  const auto forget = [weak = std::weak_ptr<SessionCore>(core), address = what.listener.address()] {
    if (const auto alive = weak.lock()) alive->listeners.remove(address);
  };
  caf::actor_cast<caf::abstract_actor*>(what.listener)->attach_functor(forget);
  if (what.slow_after.count() > 0) set_clock(*core);
  return absl::OkStatus();
}

absl::Status Subscriptions::remove(SessionCore& core, const Unsubscribe& what) {
  if (what.listener == nullptr) return absl::InvalidArgumentError("Unsubscribe names no listener.");
  core.listeners.remove(what.listener.address());
  return absl::OkStatus();
}

void Subscriptions::look(SessionCore& core, const CheckSlowSteps& what) {
  if (what.clock != clock_) return;
  std::vector<std::shared_ptr<StepSlot>> slots;
  for (const auto& weak : core.slots()) {
    if (auto slot = weak.lock()) slots.push_back(std::move(slot));
  }
  core.listeners.tell_of_slow_steps(core.id, slots);
  set_clock(core);
}

void Subscriptions::set_clock(SessionCore& core) {
  const auto slow_after = core.listeners.slow_after();
  if (slow_after.count() == 0 || core.closed()) return;
  const auto pause = std::max(slow_after / kLooks, std::chrono::milliseconds(1));
  self_->delayed_send(self_, pause, CheckSlowSteps{++clock_});
}

}  // namespace troupe
