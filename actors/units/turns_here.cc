#include "actors/units/turns_here.h"

#include "actors/step/serves_turn.h"

namespace troupe {
namespace {

/// What an actor sees as its execution unit meanwhile.
class UnitHere final : public caf::execution_unit {
 public:
  UnitHere(caf::actor_system* system, TurnTaker* pool) : caf::execution_unit(system), pool_(pool) {}
  void exec_later(caf::resumable* job) override { pool_->enqueue(job); }

 private:
  TurnTaker* const pool_;
};

}  // namespace

constinit thread_local TurnsHere* TurnsHere::of_thread_ = nullptr;

bool TurnsHere::keep(caf::resumable* job, TurnTaker* pool, caf::actor_system* system) {
  if (of_thread_ == nullptr) return false;
  of_thread_->kept_.push_back({job, pool, system});
  return true;
}

void TurnsHere::hand_over() {
  for (TurnsHere* here = of_thread_; here != nullptr; here = here->outer_) {
    const std::vector<Kept> kept = std::exchange(here->kept_, {});
    for (size_t i = std::exchange(here->taken_, 0); i < kept.size(); ++i) kept[i].pool->enqueue(kept[i].job);
  }
}

bool TurnsHere::resume(const Kept& kept) {
  UnitHere unit(kept.system, kept.pool);
  if (kept.job->resume(&unit, kMessagesAtOnce) == caf::resumable::resume_later) return true;
  caf::intrusive_ptr_release(kept.job);
  return false;
}

TurnsHere::~TurnsHere() {
  if (!kept_.empty()) {
    const ServesTurn expensive_goes_to_the_pool;
    const auto until = std::chrono::steady_clock::now() + kBudget;
    // What these make ready is kept, too, until the time is over.
    while (taken_ < kept_.size()) {
      const Kept next = kept_[taken_++];
      if (std::chrono::steady_clock::now() > until) {
        next.pool->enqueue(next.job);
      } else if (resume(next)) {
        kept_.push_back(next);
      }
      between_();
    }
  }
  of_thread_ = outer_;
}

}  // namespace troupe
