#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/grpc_door/door_sessions.h"
#include "actors/run_values.h"

namespace troupe {

/// @name Runs of clients. On any thread; they return at once, and the call is answered by the thread that ends the step. It ends, too, when the
/// client no longer waits for it.
/// A step that is no turn of a partial run.
void run_step(const std::shared_ptr<RunStepCall>& call, const std::shared_ptr<DoorSessions>& sessions);
void run_callable(const std::shared_ptr<RunCallableCall>& call,
                  const std::shared_ptr<DoorSessions>& sessions);

/// What the client feeds. InvalidArgument names the feed that is no tensor.
absl::StatusOr<std::vector<NamedTensor>> feeds_of(const RunStepCall& call);
/// Answers with these fetches, in the order in which the client asked for them, or with the error: in the response, where the client wants
/// it there. ResourceExhausted for more than a message holds (2 GiB).
void finish_run(RunStepCall& call, const DoorSessions& sessions,
                const absl::StatusOr<std::vector<Tensor>>& fetched, const RunStats& stats);

}  // namespace troupe
