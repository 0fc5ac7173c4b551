#pragma once

#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>

namespace troupe {

/// The execution unit of an actor whose turns are short and hold nobody up: whoever sends it a message while it is idle resumes it there
/// and then, on his own thread. A message that finds it at work is handled by the thread that is. One for each actor; CAF hands an actor
/// out once each time that it becomes ready, so that it needs no lock.
class SenderThread final : public caf::execution_unit {
 public:
  explicit SenderThread(caf::actor_system* system) : caf::execution_unit(system) {}

  void exec_later(caf::resumable* job) override {
    while (job->resume(this, kMessagesPerTurn) == caf::resumable::resume_later) {
    }
    caf::intrusive_ptr_release(job);
  }

 private:
  static constexpr size_t kMessagesPerTurn = 64;
};

}  // namespace troupe
