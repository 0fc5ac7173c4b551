#include "actors/deadlines.h"

#include <algorithm>

namespace troupe {

std::optional<std::chrono::steady_clock::time_point> Deadlines::check(
    SessionCore& core, const std::function<void(StepSlot&, int64_t)>& expired) {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t kNever = INT64_MAX;
  core.armed.store(kNever, std::memory_order_release);
  const int64_t now = core.now().time_since_epoch().count();
  int64_t next = kNever;
  for (const auto& weak : core.slots()) {
    const auto slot = weak.lock();
    if (slot == nullptr) continue;
    // Before the deadline: a step that begins meanwhile has its deadline before it has its id.
    const int64_t id = slot->life.token().running();
    const int64_t at = slot->deadline.load(std::memory_order_acquire);
    if (at == 0) continue;
    if (at > now) {
      next = std::min(next, at);
    } else if (id != 0) {
      expired(*slot, id);
    }
  }
  if (next == kNever) return std::nullopt;
  core.armed.store(next, std::memory_order_release);
  set_for_.erase(set_for_.begin(), set_for_.upper_bound(now));
  if (!set_for_.empty() && *set_for_.begin() <= next) return std::nullopt;
  set_for_.insert(next);
  return Clock::time_point(Clock::duration(next));
}

}  // namespace troupe
