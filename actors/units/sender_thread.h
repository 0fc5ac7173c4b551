#pragma once

#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

namespace troupe {

/// The execution unit of an actor whose turns are short and hold nobody up: whoever sends it a message while it is idle resumes it there
/// and then, on his own thread. A message that finds it at work is handled by the thread that is. One for each actor; CAF hands an actor
/// out once each time that it becomes ready, so that it needs no lock. Whoever the actor itself sends to runs elsewhere.
class SenderThread final : public caf::execution_unit {
 public:
  /// After so many messages a thread has served others for long enough: the actor system's own goes on.
  static constexpr size_t kMessagesPerTurn = 64;

  SenderThread(caf::actor_system* system, caf::resumable* actor)
      : caf::execution_unit(system), actor_(actor) {}

  void exec_later(caf::resumable* job) override {
    if (job != actor_ || job->resume(this, kMessagesPerTurn) == caf::resumable::resume_later)
      return system().scheduler().enqueue(job);
    caf::intrusive_ptr_release(job);
  }

 private:
  caf::resumable* const actor_;
};

}  // namespace troupe
