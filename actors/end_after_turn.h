#pragma once

#include <caf/resumable.hpp>

#include <memory>
#include <utility>

#include "actors/step_slot.h"

namespace troupe {

/// While one lives, a turn of an actor of a slot is under way that may end the slot's run: who is to hear of the end hears it when the turn is over. The slot
/// is another's then, whose start the actor must be free for, whatever who hears does: he may wait for that run.
class EndAfterTurn {
 public:
  explicit EndAfterTurn(const StepSlot* slot) : slot_(slot), outer_(std::exchange(of_thread_, this)) {}
  ~EndAfterTurn() { of_thread_ = outer_; }
  EndAfterTurn(const EndAfterTurn&) = delete;

  /// Keeps the end for later; false where no such turn is under way on this thread.
  static bool keep(StepSlot* slot) {
    if (of_thread_ == nullptr || of_thread_->slot_ != slot) return false;
    of_thread_->ended_ = slot->shared_from_this();
    return true;
  }
  /// The slot, if its run has ended in the turn.
  std::shared_ptr<StepSlot> ended() { return std::move(ended_); }

 private:
  static inline constinit thread_local EndAfterTurn* of_thread_ = nullptr;
  const StepSlot* const slot_;
  EndAfterTurn* const outer_;
  std::shared_ptr<StepSlot> ended_;
};

/// A turn of an actor of that slot on a thread that is not its own unit's: `turn` resumes it. Whoever waits for the run hears of its end when nothing more of
/// the actor is done here.
template <class Turn>
caf::resumable::resume_result resume_and_tell_end(caf::resumable* actor, const StepSlot* slot, Turn&& turn) {
  std::shared_ptr<StepSlot> ended;
  caf::resumable::resume_result result;
  {
    EndAfterTurn end(slot);
    result = turn();
    ended = end.ended();
  }
  if (ended == nullptr) return result;
  if (result == caf::resumable::resume_later) {
    // What is left in its mailbox must not wait for who hears.
    caf::intrusive_ptr_add_ref(actor);
    ended->unit->pool()->enqueue(actor);
    result = caf::resumable::awaiting_message;
  }
  // The actor is anybody's now. Who hears may begin the next run.
  const NamedPool::GoOnHere here;
  ended->signal_finished();
  return result;
}

}  // namespace troupe
