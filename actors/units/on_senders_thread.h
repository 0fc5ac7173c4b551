#pragma once

#include <caf/all.hpp>

#include <utility>

#include "actors/units/sender_thread.h"

namespace troupe {

/// An actor whose turns are short and hold nobody up: whoever sends it a message while it is idle runs it there and then. Not the thread of
/// CAF's clock: a turn that sets a timeout waits there, once the clock's queue is full, for the only thread that empties it. What comes from
/// the clock has the actor itself as its sender (a request that had no answer, a delayed_send to itself; never delayed_anon_send to it).
template <class Base>
class OnSendersThread : public Base {
 public:
  using Base::Base;

  using Base::enqueue;
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    const bool from_clock = what->sender == this->ctrl();
    Base::enqueue(std::move(what), from_clock ? nullptr : &unit_);
  }

 private:
  /// Goes when nobody holds this actor: nobody sends it anything then.
  SenderThread unit_{&this->system(), this};
};

}  // namespace troupe
