#include "actors/idle_slots.h"

#include <caf/all.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe {

void IdleSlots::begin(SessionCore& core) {
  std::lock_guard lock(mu_);
  if (core.slots_watched.exchange(true)) return;
  watched_.push_back({core.weak_from_this(), core.gate.runs()});
  if (!std::exchange(clock_runs_, true)) set_clock();
}

void IdleSlots::set_clock() { caf::delayed_anon_send(runtime_, kLookEvery, LookAtSlots{}); }

bool IdleSlots::look() {
  std::vector<Watched> some;
  {
    std::lock_guard lock(mu_);
    if (left_.empty()) left_.swap(watched_);
    const auto first = left_.end() - static_cast<std::ptrdiff_t>(std::min(left_.size(), kSessionsPerTurn));
    some.assign(std::move_iterator(first), std::move_iterator(left_.end()));
    left_.erase(first, left_.end());
  }
  std::erase_if(some, [this](Watched& w) { return !look_at(&w); });
  std::lock_guard lock(mu_);
  for (Watched& w : some) watched_.push_back(std::move(w));
  if (!left_.empty()) return true;
  // There were many, perhaps, and now few.
  left_.shrink_to_fit();
  watched_.shrink_to_fit();
  clock_runs_ = !watched_.empty();
  if (clock_runs_) set_clock();
  return false;
}

bool IdleSlots::none_watched() {
  std::lock_guard lock(mu_);
  return !clock_runs_;
}

bool IdleSlots::look_at(Watched* watched) {
  const std::shared_ptr<SessionCore> core = watched->core.lock();
  if (core == nullptr) return false;
  const int64_t runs = core->gate.runs();
  const bool rests = std::exchange(watched->runs, runs) == runs && core->gate.running() == 0;
  if (end_(*core, rests ? What::kAll : What::kUnneeded)) return true;
  // First, so that who puts a slot by after the second look finds that nobody watches.
  core->slots_watched.store(false);
  return end_(*core, What::kNothing) && !core->slots_watched.exchange(true);
}

}  // namespace troupe
