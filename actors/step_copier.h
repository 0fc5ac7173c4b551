#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/step_slot.h"

namespace troupe {

/// What a step has come to: another of the same signature goes on from there. For one step.
struct StepCopy {
  /// By partition.
  std::vector<std::shared_ptr<ExecutorState::Snapshot>> executors;
  /// What nobody has received yet.
  std::vector<RendezvousTable::Kept> values;
};

/// Copies a step of a PARTIAL RUN when it is at rest: no node can run before a value is fed. Asks the RENDEZVOUS, then the EXECUTORs, which
/// answer when they are at rest, then the RENDEZVOUS again: when nothing has come there meanwhile, and all who wait there are those
/// of whom the EXECUTORs know, no message is under way, and the answers belong together. Otherwise something has happened, and it
/// asks again. The PARTIAL RUN's own, called in its turns.
class StepCopier {
 public:
  using Done = std::function<void(absl::StatusOr<StepCopy>)>;

  explicit StepCopier(PartialRunActor::pointer self) : self_(self) {}

  /// `done` is called once, in a turn of the actor, when the step is at rest, through, or has failed; a kernel that waits for ever keeps it
  /// waiting. One at a time.
  void begin(const std::shared_ptr<StepSlot>& slot, Done done);

 private:
  struct Copying;
  void ask_executors(const std::shared_ptr<Copying>& copying);
  void ask_rendezvous_again(const std::shared_ptr<Copying>& copying);

  const PartialRunActor::pointer self_;
};

}  // namespace troupe
