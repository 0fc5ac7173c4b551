#pragma once

#include "actors/session_core.h"

namespace troupe {

/// Who subscribes to what becomes of a session's steps, and the clock by which slow ones are found. SESSION's own, called in its turns.
class Subscriptions {
 public:
  /// `self` gets CheckSlowSteps when it is time to look.
  explicit Subscriptions(SessionActor::pointer self) : self_(self) {}

  /// Until it ends. InvalidArgument, AlreadyExists.
  absl::Status add(const std::shared_ptr<SessionCore>& core, const Subscribe& what);
  absl::Status remove(SessionCore& core, const Unsubscribe& what);
  /// The clock has struck.
  void look(SessionCore& core, const CheckSlowSteps& what);

 private:
  /// How many looks there are in the time after which a step is slow.
  static constexpr int kLooks = 4;
  void set_clock(SessionCore& core);

  const SessionActor::pointer self_;
  /// The clock that is to strike; others were set for another time.
  int64_t clock_ = 0;
};

}  // namespace troupe
