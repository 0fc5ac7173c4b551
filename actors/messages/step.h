#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "actors/messages/in_process.h"
#include "actors/remote_part.h"
#include "actors/run_values.h"
#include "actors/step/executor_state.h"
#include "actors/step/rendezvous_table.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// @name To a STEP
/// Start the step that its slot describes. At the end the slot's `finished` flag is set, or `when_finished` called.
struct RunStep {
  int64_t step_id = 0;
};
/// The step with this id is cancelled (its token has tripped): stop executors and rendezvous.
struct CancelStep {
  int64_t step_id = 0;
};
/// An executor is through.
struct ExecutorDone {
  int64_t step_id = 0;
  size_t index = 0;
};
struct InspectStep {};
struct InspectStepReply {
  StepReport report;
};

/// @name To an EXECUTOR
struct StartExecutor {};
/// Completed kernels wait to be taken back, or a turn ran out of budget.
struct DrainKernels {};
/// Step `step_id` is to stop, for this reason; ignored when another runs.
struct AbortExecutor {
  int64_t step_id = 0;
  absl::Status status;
};
/// What the kernels of step `step_id` enqueued on the device is done; its error, when it is lost.
struct DeviceDone {
  int64_t step_id = 0;
  absl::Status status;
};
/// What that step has come to in its partition. Answer: ExecutorCopy, once nothing can be done there before a value comes, or all is done;
/// the error of a step that failed, Cancelled for one that is not this executor's any more.
struct CopyExecutor {
  int64_t step_id = 0;
};
struct ExecutorCopy {
  std::shared_ptr<ExecutorState::Snapshot> state;
  /// How many values it waits for.
  size_t receives = 0;
};
struct InspectExecutor {};
/// To a REMOTE EXECUTOR: its part has ended there.
struct RemotePartEnded {
  int64_t step_id = 0;
  std::shared_ptr<RemotePart::End> end;
};
/// The same: what is not done of it there, by the number of the question.
struct RemoteFrontier {
  int64_t question = 0;
  std::vector<std::string> lines;
};
struct FrontierReply {
  /// "y (Add) on /job:worker/replica:0/task:1/device:CPU:0: a:0": what waits, and for what.
  std::vector<std::string> lines;
  /// Of the step that runs; step_id 0: none.
  StepMemory memory;
};

/// @name To a RENDEZVOUS
/// A new step begins.
struct RendezvousBegin {
  int64_t step_id = 0;
  /// What other tasks call it.
  int64_t shared_id = 0;
};
struct RendezvousSend {
  std::string key;
  Tensor value;
  bool is_dead = false;
};
struct RendezvousRecv {
  std::string key;
  std::shared_ptr<Receiver> receiver;
};
/// What has come together: of a turn of an EXECUTOR, or from another task. All values, then all receivers.
struct RendezvousBatch {
  std::vector<RendezvousSend> values;
  std::vector<RendezvousRecv> receivers;
};
/// What is there. Answer: RendezvousCopy; why it was aborted, if it was, and Cancelled when another step began last.
struct CopyRendezvous {
  int64_t step_id = 0;
};
struct RendezvousCopy {
  std::vector<RendezvousTable::Kept> values;
  size_t receivers = 0;
  /// How many values and receivers have come, ever: none in between when two answers say the same.
  int64_t events = 0;
};
/// Ignored unless that step began last.
struct RendezvousAbort {
  int64_t step_id = 0;
  absl::Status status;
};

}  // namespace troupe
