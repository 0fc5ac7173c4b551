#pragma once

#include <functional>
#include <utility>

namespace troupe {

struct StepSlot;

/// While one lives, a turn of a slot's STEP is under way: who is to hear that the run is over hears it when the turn is (`told`). The slot is another's
/// then, whose start the STEP must be free for, whatever who hears does: he may wait for that run.
class EndAfterTurn {
 public:
  explicit EndAfterTurn(const StepSlot* slot) : slot_(slot), outer_(std::exchange(of_thread_, this)) {}
  ~EndAfterTurn() { of_thread_ = outer_; }
  EndAfterTurn(const EndAfterTurn&) = delete;

  /// Keeps what tells of the end; false where no turn of the slot's STEP is under way on this thread.
  static bool keep(const StepSlot* slot, std::function<void()>* tell) {
    if (of_thread_ == nullptr || of_thread_->slot_ != slot) return false;
    of_thread_->told_ = std::move(*tell);
    return true;
  }
  /// What tells of the end, if it came in the turn.
  std::function<void()> told() { return std::exchange(told_, nullptr); }

 private:
  static inline constinit thread_local EndAfterTurn* of_thread_ = nullptr;
  const StepSlot* const slot_;
  EndAfterTurn* const outer_;
  std::function<void()> told_;
};

}  // namespace troupe
