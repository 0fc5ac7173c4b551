#include "actors/units/turns_here.h"

#include "actors/step/serves_turn.h"
#include "actors/units/named_pool.h"

namespace troupe {

constinit thread_local TurnsHere* TurnsHere::of_thread_ = nullptr;

bool TurnsHere::keep(caf::resumable* job, NamedPool* pool) {
  if (of_thread_ == nullptr) return false;
  of_thread_->kept_.emplace_back(job, pool);
  return true;
}

void TurnsHere::hand_over() {
  for (TurnsHere* here = of_thread_; here != nullptr; here = here->outer_) {
    const auto kept = std::exchange(here->kept_, {});
    for (size_t i = std::exchange(here->taken_, 0); i < kept.size(); ++i)
      kept[i].second->enqueue(kept[i].first);
  }
}

TurnsHere::~TurnsHere() {
  if (!kept_.empty()) {
    const ServesTurn expensive_goes_to_the_pool;
    const auto until = std::chrono::steady_clock::now() + kBudget;
    // What these make ready is kept, too, until the time is over.
    while (taken_ < kept_.size()) {
      const auto [job, pool] = kept_[taken_++];
      if (std::chrono::steady_clock::now() > until) {
        pool->enqueue(job);
      } else if (pool->resume_here(job)) {
        kept_.emplace_back(job, pool);
      }
    }
  }
  of_thread_ = outer_;
}

}  // namespace troupe
