#pragma once

#include <caf/all.hpp>

#include <utility>

#include "actors/step/thread_flag.h"
#include "actors/units/sender_thread.h"

namespace troupe {

/// While one lives, its thread waits for the answers of those whom it asks, and serves them: an OnAskersThread that is idle has its
/// turn there and then, and nobody is woken for it.
class Asking : public ThreadFlag<Asking> {};

/// An actor whose turns are short, and which threads ask and wait for: they run it meanwhile. All others leave it to the actor system.
template <class Base>
class OnAskersThread : public Base {
 public:
  using Base::Base;

  using Base::enqueue;
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* unit) override {
    Base::enqueue(std::move(what), Asking::active() ? &unit_ : unit);
  }

 private:
  /// Goes when nobody holds this actor: nobody sends it anything then.
  SenderThread unit_{&this->system(), this};
};

}  // namespace troupe
