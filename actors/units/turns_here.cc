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
    for (const auto& [job, pool] : std::exchange(here->kept_, {})) pool->enqueue(job);
  }
}

TurnsHere::~TurnsHere() {
  if (!kept_.empty()) {
    const ServesTurn expensive_goes_to_the_pool;
    const auto until = std::chrono::steady_clock::now() + kBudget;
    // What these make ready is kept, too, until the time is over.
    for (size_t i = 0; i < kept_.size(); ++i) {
      const auto [job, pool] = kept_[i];
      if (std::chrono::steady_clock::now() > until) {
        pool->enqueue(job);
      } else {
        pool->resume_here(job);
      }
    }
  }
  of_thread_ = outer_;
}

}  // namespace troupe
