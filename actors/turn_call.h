#pragma once

#include <caf/typed_response_promise.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/messages/partial_run.h"
#include "actors/messages/session.h"
#include "actors/turn_unit.h"

namespace troupe {

struct SessionCore;

/// A turn of a partial run that a thread waits for. Whoever lets go of it last without an answer, because the PARTIAL RUN is gone, gives
/// one. Thread-safe.
class TurnCall {
 public:
  /// What the thread looks at.
  struct Result {
    std::atomic<bool> done{false};
    /// Set before `done`.
    absl::StatusOr<RunReply> reply = absl::InternalError("no answer");
  };

  /// `unit`: the thread's, when it is inside; else null.
  TurnCall(PartialRunTurn turn, std::shared_ptr<TurnUnit> turns, std::shared_ptr<LentThread> unit,
           std::shared_ptr<Result> result)
      : turn_(std::move(turn)), turns_(std::move(turns)), unit_(std::move(unit)), result_(std::move(result)) {}
  ~TurnCall();
  TurnCall(const TurnCall&) = delete;

  const PartialRunTurn& turn() const { return turn_; }
  /// Once.
  void answer(absl::StatusOr<RunReply> reply);

 private:
  const PartialRunTurn turn_;
  const std::shared_ptr<TurnUnit> turns_;
  const std::shared_ptr<LentThread> unit_;
  const std::shared_ptr<Result> result_;
};

/// Who waits for a turn: an actor or, when there is a call, a thread.
struct TurnAnswer {
  caf::typed_response_promise<RunReply> promise;
  std::shared_ptr<TurnCall> call;

  void deliver(absl::StatusOr<RunReply> reply);
};

/// What a turn on a partial run that is over, or never was, is answered with.
absl::Status no_partial_run();

/// Begins a partial run; the calling thread computes what is ready before anything is fed, but no longer than a moment: the session's pool
/// goes on. Answer: its handle.
absl::StatusOr<std::string> begin_partial_run(SessionCore& core, PartialRunSetup setup);

/// Takes a turn, and waits for its answer on the calling thread, which serves the step meanwhile when no other does.
absl::StatusOr<RunReply> take_turn(SessionCore& core, const std::string& handle, PartialRunTurn turn);

}  // namespace troupe
