#pragma once

#include <caf/typed_response_promise.hpp>

#include <deque>
#include <memory>

#include "actors/interfaces.h"
#include "actors/step_copier.h"

namespace troupe {

/// What forks ask of the PARTIAL RUN that they are forks of.
class ForkedRun {
 public:
  virtual ~ForkedRun() = default;
  /// Null when it cannot be copied now: it has not begun, a turn waits, or it is over.
  virtual std::shared_ptr<StepSlot> slot_to_copy() = 0;
  /// How many turns it has taken.
  virtual int64_t turns_taken() const = 0;
  /// Of a copy that was made since the last turn. `cancels`: what SessionCore::cancels said when the fork was asked for.
  virtual absl::StatusOr<ReadyFork> fork_from(StepCopy copy, int64_t cancels) = 0;
};

/// Those who wait for forks of a PARTIAL RUN, first come, first served; each gets a copy of its own. The PARTIAL RUN's, called in its turns.
class PartialRunForks {
 public:
  using Promise = caf::typed_response_promise<ReadyFork>;

  PartialRunForks(PartialRunActor::pointer self, ForkedRun* run) : self_(self), run_(run), copier_(self) {}

  void add(Promise promise, int64_t cancels, std::chrono::milliseconds patience);
  /// Something has changed that may let a copy be made.
  void go_on();
  /// DeadlineExceeded, for that one.
  void time_out(int64_t id);
  void fail(const absl::Status& status);
  int waiting() const { return static_cast<int>(waiting_.size()); }

 private:
  struct Fork {
    int64_t id = 0;
    int64_t cancels = 0;
    Promise promise;
  };
  void hand_out(absl::StatusOr<StepCopy> copy);

  const PartialRunActor::pointer self_;
  ForkedRun* const run_;
  StepCopier copier_;
  bool copying_ = false;
  std::deque<Fork> waiting_;
  int64_t next_ = 1;
};

}  // namespace troupe
