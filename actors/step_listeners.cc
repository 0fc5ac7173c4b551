#include "actors/step_listeners.h"

#include <caf/all.hpp>

#include <algorithm>

#include "actors/step_slot.h"

namespace troupe {

StepEvent event_of(const StepSlot& slot, int64_t session_id, int64_t step_id) {
  StepEvent event;
  event.session_id = session_id;
  event.step_id = step_id;
  event.age =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - slot.began());
  event.fetches = slot.code->fetches;
  event.targets = slot.code->targets;
  return event;
}

absl::Status StepListeners::add(const StepListener& listener, std::chrono::milliseconds slow_after) {
  std::lock_guard lock(mu_);
  const auto listens = [&](const Listener& l) { return l.actor == listener; };
  if (std::any_of(listeners_.begin(), listeners_.end(), listens))
    return absl::AlreadyExistsError("this actor listens to the session's steps already");
  listeners_.push_back({listener, slow_after, {}});
  any_.store(true, std::memory_order_release);
  return absl::OkStatus();
}

void StepListeners::remove(const caf::actor_addr& listener) {
  Listener gone;  // destroyed outside the lock
  std::lock_guard lock(mu_);
  const auto at = std::find_if(listeners_.begin(), listeners_.end(),
                               [&](const Listener& l) { return l.actor.address() == listener; });
  if (at == listeners_.end()) return;
  gone = std::move(*at);
  listeners_.erase(at);
  any_.store(!listeners_.empty(), std::memory_order_release);
}

void StepListeners::tell(const StepEvent& event) {
  std::lock_guard lock(mu_);
  for (Listener& l : listeners_) {
    caf::anon_send(l.actor, event);
    if (event.kind != StepEvent::Kind::kBegun) std::erase(l.told, event.step_id);
  }
}

std::chrono::milliseconds StepListeners::slow_after() const {
  std::lock_guard lock(mu_);
  std::chrono::milliseconds least{0};
  for (const Listener& l : listeners_) {
    if (l.slow_after.count() > 0 && (least.count() == 0 || l.slow_after < least)) least = l.slow_after;
  }
  return least;
}

void StepListeners::tell_of_slow_steps(int64_t session_id,
                                       const std::vector<std::shared_ptr<StepSlot>>& slots) {
  for (const auto& slot : slots) {
    // It cannot end, and tell so, before it is told of as slow.
    slot->life.token().while_running([&](int64_t step_id) {
      // Those of called functions are their caller's.
      if (slot->outer_step_id != 0) return;
      StepEvent event = event_of(*slot, session_id, step_id);
      event.kind = StepEvent::Kind::kSlow;
      std::lock_guard lock(mu_);
      for (Listener& l : listeners_) {
        if (l.slow_after.count() == 0 || event.age < l.slow_after) continue;
        if (std::find(l.told.begin(), l.told.end(), step_id) != l.told.end()) continue;
        l.told.push_back(step_id);
        caf::anon_send(l.actor, event);
      }
    });
  }
}

}  // namespace troupe
