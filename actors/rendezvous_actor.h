#pragma once

#include <utility>

#include "actors/step_slot.h"

namespace troupe {

/// Spawns the RENDEZVOUS of a slot: a RendezvousTable behind messages. Monitored by STEP; ends with its slot.
RendezvousActor spawn_rendezvous(caf::actor_system& system, std::shared_ptr<StepSlot> slot);

/// What Send and Recv kernels see of it: each call is one message, or part of their turn's. Thread-safe.
std::unique_ptr<Rendezvous> make_rendezvous_face(RendezvousActor actor);

/// While one lives, an EXECUTOR of that RENDEZVOUS has its turn on this thread: what its kernels send and wait for here leaves together, when the turn is over
/// or there are kMost. Turns nest.
class RendezvousTurn {
 public:
  static constexpr size_t kMost = 64;

  explicit RendezvousTurn(const RendezvousActor& actor)
      : actor_(actor), outer_(std::exchange(of_thread_, this)) {}
  ~RendezvousTurn() {
    of_thread_ = outer_;
    leave();
  }
  RendezvousTurn(const RendezvousTurn&) = delete;

  /// Null where that RENDEZVOUS has none, or another's turn is within it.
  static RendezvousTurn* of(const RendezvousActor& actor) {
    return of_thread_ != nullptr && of_thread_->actor_ == actor ? of_thread_ : nullptr;
  }
  void add(RendezvousSend value);
  void add(RendezvousRecv receiver);

 private:
  size_t size() const { return batch_.values.size() + batch_.receivers.size(); }
  void leave();

  static constinit thread_local RendezvousTurn* of_thread_;
  const RendezvousActor& actor_;
  RendezvousTurn* const outer_;
  RendezvousBatch batch_;
};

}  // namespace troupe
