#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "actors/messages/in_process.h"
#include "actors/run_values.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// @name To a SESSION
/// Begins a partial run. Answer: the text that names it, and the PARTIAL RUN that takes its turns.
struct PartialRunSetup {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  /// How long nobody may take a turn; zero: for ever. Unset: as the session's options say.
  std::optional<std::chrono::milliseconds> lease = std::nullopt;
};
/// One turn of the partial run of that handle. Answer: RunReply.
struct PartialRunRequest {
  std::string handle;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
};

/// @name To a PARTIAL RUN
/// One turn. Answer: RunReply, once all fetches are there.
struct PartialRunTurn {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
};
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
/// INTERNAL: look whether anybody took a turn since.
struct CheckLease {};
/// End; its turns that wait get the status. Ignored unless step_id is its step, or 0.
struct CancelPartialRun {
  int64_t step_id = 0;
  absl::Status status;
};

}  // namespace troupe
