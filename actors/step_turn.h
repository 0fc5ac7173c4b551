#pragma once

#include <caf/resumable.hpp>

#include <memory>

#include "actors/end_after_turn.h"
#include "actors/step_slot.h"

namespace troupe {

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
