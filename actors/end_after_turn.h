#pragma once

#include <memory>
#include <utility>

namespace troupe {

struct StepSlot;

/// While one lives, a turn of an actor of a slot is under way that may end the slot's run: who is to hear of the end hears it when the turn is over. The slot
/// is another's then, whose start the actor must be free for, whatever who hears does: he may wait for that run.
class EndAfterTurn {
 public:
  explicit EndAfterTurn(const StepSlot* slot) : slot_(slot), outer_(std::exchange(of_thread_, this)) {}
  ~EndAfterTurn() { of_thread_ = outer_; }
  EndAfterTurn(const EndAfterTurn&) = delete;

  /// Of that slot, on this thread; null: none is under way.
  static EndAfterTurn* of(const StepSlot* slot) {
    return of_thread_ != nullptr && of_thread_->slot_ == slot ? of_thread_ : nullptr;
  }
  void keep(std::shared_ptr<StepSlot> slot) { ended_ = std::move(slot); }
  /// The slot, if its run has ended in the turn.
  std::shared_ptr<StepSlot> ended() { return std::move(ended_); }

 private:
  static inline constinit thread_local EndAfterTurn* of_thread_ = nullptr;
  const StepSlot* const slot_;
  EndAfterTurn* const outer_;
  std::shared_ptr<StepSlot> ended_;
};

}  // namespace troupe
