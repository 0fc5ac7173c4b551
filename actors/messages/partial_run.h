#pragma once

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "actors/messages/in_process.h"
#include "actors/remote_master.h"
#include "actors/run_values.h"
#include "graph/tensor/tensor.h"

namespace troupe {

struct PartialRunParts;
class TurnCall;

/// @name To a SESSION
/// Begins a partial run. Answer: the text that names it, and the PARTIAL RUN that takes its turns.
struct PartialRunSetup {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  /// How long nobody may take a turn; zero: for ever. Unset: as the session's options say.
  std::optional<std::chrono::milliseconds> lease = std::nullopt;
  /// It is cancelled when the actor that asks for it dies.
  bool ends_with_client = false;
  /// INTERNAL: who asks starts it (`begin_partial_run`).
  bool started_by_client = false;
};
/// To whoever listens to a turn: one of its fetches, as soon as it is there.
struct FetchReady {
  std::string handle;
  /// Among the fetches of the turn.
  size_t index = 0;
  std::string name;
  Tensor value;
};
using FetchListener = caf::typed_actor<caf::reacts_to<FetchReady>>;
/// One turn of the partial run of that handle. Answer: RunReply.
struct PartialRunRequest {
  std::string handle;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  /// Gets each fetch before the answer, which has all; null: nobody.
  FetchListener listener = {};
};
/// Another partial run that goes on from where that one is once none of its turns waits and its step is at rest: what was computed, fed and
/// fetched until then is so for both, what comes is each one's own. Answer: as of PartialRunSetup. It has the lease of the first, and ends
/// with the client of the first if that does. Unimplemented when nodes have made resources that live as long as their step.
struct ForkPartialRun {
  std::string handle;
};
/// Ends it: who waits, and the next who takes a turn, gets Cancelled. Answer: Done.
struct EndPartialRun {
  std::string handle;
  std::string reason;
};
/// How far one is. Answer: PartialRunReport.
struct InspectPartialRun {
  std::string handle;
};
/// How far all are that are not over, in no order. Answer: PartialRunList.
struct ListPartialRuns {};
struct PartialRunList {
  std::vector<PartialRunReport> runs;
};

/// @name To a PARTIAL RUN
/// One turn. Answer: RunReply, once all fetches are there.
struct PartialRunTurn {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  FetchListener listener = {};
};
/// INTERNAL: the same from a thread that waits for it. The answer goes to the call.
struct TakeTurn {
  std::shared_ptr<TurnCall> call;
};
/// INTERNAL: what a fork is to be made of. Answer: ReadyFork, when its step is at rest.
struct ForkTurns {};
struct ReadyFork {
  std::shared_ptr<PartialRunParts> parts;
};
/// INTERNAL: the fork with this number has waited as long as the session lets an operation wait.
struct ForkTimeout {
  int64_t fork = 0;
};
/// How far it is. Answer: PartialRunReport.
struct InspectTurns {};
/// INTERNAL: begin the step.
struct StartPartialRun {};
/// INTERNAL: a fetch of a turn, or why it does not come.
struct PartialRunValue {
  int64_t turn = 0;
  size_t index = 0;
  absl::Status status;
  Tensor value;
  bool is_dead = false;
};
/// INTERNAL: the turn has waited as long as the session lets an operation wait.
struct PartialRunTimeout {
  int64_t turn = 0;
};
/// INTERNAL: its step is over.
struct StepOver {};
/// INTERNAL, to one of a session elsewhere: a turn has ended there.
struct RemoteTurnEnded {
  int64_t turn = 0;
  std::shared_ptr<RemoteMaster::StepEnd> end;
};
/// INTERNAL: look whether anybody took a turn since.
struct CheckLease {};
/// End; its turns that wait get the status. Ignored unless step_id is its step, or 0.
struct CancelPartialRun {
  int64_t step_id = 0;
  absl::Status status;
};

}  // namespace troupe
