#pragma once

#include <caf/actor_addr.hpp>
#include <caf/allowed_unsafe_message_type.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/options.h"
#include "actors/run_values.h"
#include "actors/step/executor_state.h"
#include "actors/step/rendezvous_table.h"
#include "graph/ir/graph.h"
#include "graph/tensor/tensor.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

class MessageRun;
class NamedPool;
struct Signature;
struct GraphChange;
struct GraphIncrement;
struct SignatureAlias;
struct StepSlot;
class StepLease;

// Messages between the actors of one process. They carry pointers to shared or immutable data and never leave it.

/// @name To a SESSION, from clients
/// Gives the session its graph. Answer: Done.
struct CreateGraph {
  std::shared_ptr<const tensorflow::GraphDef> proto;
  /// Used when proto is null.
  std::shared_ptr<const Graph> graph;
};
/// Adds nodes. Answer: Done.
struct ExtendGraph {
  std::shared_ptr<const tensorflow::GraphDef> proto;
  /// Used when proto is null: a graph that begins with all nodes that the session has.
  std::shared_ptr<const Graph> graph;
  /// Used when both are null: what the session's graph gets.
  std::shared_ptr<const GraphIncrement> increment = nullptr;
};
/// One step. Answer: RunReply.
struct RunRequest {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
};
struct RunReply {
  std::vector<Tensor> fetches;
  RunStats stats;
};
/// Cancels one step, or all of them when step_id is 0: the broadcast. Answer: CancelReply.
struct CancelRequest {
  int64_t step_id = 0;
  std::string reason;
};
struct CancelReply {
  int steps = 0;
};
/// Answer: InspectReply.
struct InspectRequest {};
struct InspectReply {
  std::vector<StepReport> steps;
};
struct ListDevicesRequest {};
struct ListDevicesReply {
  std::vector<DeviceInfo> devices;
};
/// Cancels what runs and refuses everything after. Answer: Done, at once.
struct CloseRequest {};
/// Drops the resources of these containers; none: the default one. Answer: Done.
struct ClearContainers {
  std::vector<std::string> containers;
};
struct Done {};

/// Prepares a signature. Answer: CallableReply.
struct MakeCallable {
  CallableOptions options;
};
struct CallableReply {
  CallableHandle handle = 0;
};
/// Runs it; feeds and fetches in the order of its options. Answer: RunReply.
struct RunCallable {
  CallableHandle handle = 0;
  std::vector<Tensor> feeds;
};
/// Answer: Done.
struct ReleaseCallable {
  CallableHandle handle = 0;
};

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

/// @name To a SESSION, INTERNAL
/// A step's compiled signature, and an idle slot to run it on. Answer: SlotReply.
struct LeaseRequest {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  /// For a partial run.
  bool partial = false;
  std::vector<std::pair<std::string, std::string>> connections = {};
  /// Set when the signature is known and only a slot is wanted; the names are empty then.
  std::shared_ptr<const SignatureAlias> alias = nullptr;
};
struct SlotReply {
  /// For one who takes it; nobody's, it goes back.
  std::shared_ptr<StepLease> lease;
};
/// What the partitions of a signature are, as GraphDefs. Answer: PartitionGraphs.
struct PartitionGraphsRequest {
  LeaseRequest signature;
};
struct PartitionGraphs {
  /// Serialised GraphDefs.
  std::vector<std::string> graphs;
};
/// A partial run is over.
struct PartialRunEnded {
  std::string handle;
};
/// What the compile pool made of a signature.
struct CompileDone {
  std::string key;
  std::shared_ptr<absl::StatusOr<std::shared_ptr<Signature>>> result;
};
/// What the compile pool made of a change of the graph.
struct GraphChanged {
  std::shared_ptr<absl::StatusOr<GraphChange>> result;
};
/// The answer to a PartitionGraphsRequest, by SESSION's number for it.
struct PartitionsDescribed {
  int64_t number = 0;
  std::shared_ptr<absl::StatusOr<PartitionGraphs>> result;
};
/// Look at the deadlines of the running steps.
struct CheckDeadlines {};

/// The step of a run by message is over.
struct RunEnded {
  std::shared_ptr<MessageRun> run;
};

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
struct InspectExecutor {};
struct FrontierReply {
  std::vector<FrontierEntry> entries;
  /// Of the step that runs; step_id 0: none.
  StepMemory memory;
};

/// @name To a DEVICE
/// An EXECUTOR that runs steps on it, alive or not.
struct JoinDevice {
  caf::actor_addr executor;
};
/// Ready nodes whose kernels are to run on the step's pool.
struct LaunchKernels {
  std::vector<KernelTask*> tasks;
  NamedPool* pool = nullptr;
  /// Whose step it is: sessions take turns.
  const void* session = nullptr;
  /// The step that they belong to; also keeps it alive.
  std::shared_ptr<void> step;
};
/// The step is cancelled: hand back what is queued of it.
struct DropKernels {
  NamedPool* pool = nullptr;
  const void* step = nullptr;
};
struct DeviceStatusRequest {};
struct DeviceStatus {
  int64_t batches = 0;
  int64_t kernels_launched = 0;
  /// Those that wait for a thread.
  int64_t kernels_waiting = 0;
  AllocatorStats memory;
  /// What the steps that run on it hold, as far as their EXECUTORs answer at once: one whose thread is inside a kernel does not.
  std::vector<StepMemory> steps;
};

/// @name To a RENDEZVOUS
/// A new step begins.
struct RendezvousBegin {
  int64_t step_id = 0;
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
/// Ignored unless that step began last.
struct RendezvousAbort {
  int64_t step_id = 0;
  absl::Status status;
};

/// @name To the RUNTIME
/// Answer: the SESSION's handle.
struct OpenSession {
  SessionOptions options;
};
/// Clears the named containers of all sessions (none: the default one) and closes them. Answer: Done.
struct ResetRequest {
  std::vector<std::string> containers;
};
struct RuntimeStatusRequest {};
struct RuntimeStatus {
  int64_t sessions = 0;
  std::vector<DeviceInfo> devices;
  /// What the DEVICEs handed to pools.
  int64_t batches = 0;
  int64_t kernels_launched = 0;
  int64_t kernels_waiting = 0;
  AllocatorStats memory;
  std::vector<StepMemory> steps;
};

}  // namespace troupe

// Every message above, once: what CAF has to know of each is made from this list, here and in message_types.cc.
// clang-format off
#define TROUPE_MESSAGES(X) \
  X(CreateGraph)            \
  X(ExtendGraph)            \
  X(RunRequest)             \
  X(RunReply)               \
  X(CancelRequest)          \
  X(CancelReply)            \
  X(InspectRequest)         \
  X(InspectReply)           \
  X(ListDevicesRequest)     \
  X(ListDevicesReply)       \
  X(CloseRequest)           \
  X(ClearContainers)        \
  X(Done)                   \
  X(LeaseRequest)           \
  X(SlotReply)              \
  X(CompileDone)            \
  X(GraphChanged)           \
  X(PartitionsDescribed)    \
  X(CheckDeadlines)         \
  X(RunEnded)               \
  X(RunStep)                \
  X(StepOver)               \
  X(CancelStep)             \
  X(ExecutorDone)           \
  X(InspectStep)            \
  X(InspectStepReply)       \
  X(StartExecutor)          \
  X(DrainKernels)           \
  X(AbortExecutor)          \
  X(InspectExecutor)        \
  X(FrontierReply)          \
  X(JoinDevice)             \
  X(LaunchKernels)          \
  X(DropKernels)            \
  X(DeviceStatusRequest)    \
  X(DeviceStatus)           \
  X(RendezvousBegin)        \
  X(RendezvousSend)         \
  X(RendezvousRecv)         \
  X(RendezvousAbort)        \
  X(OpenSession)            \
  X(ResetRequest)           \
  X(RuntimeStatusRequest)   \
  X(RuntimeStatus)          \
  X(MakeCallable)           \
  X(CallableReply)          \
  X(RunCallable)            \
  X(ReleaseCallable)        \
  X(PartialRunSetup)        \
  X(PartialRunRequest)      \
  X(PartialRunTurn)         \
  X(StartPartialRun)        \
  X(PartialRunValue)        \
  X(PartialRunTimeout)      \
  X(CheckLease)             \
  X(CancelPartialRun)       \
  X(PartitionGraphsRequest) \
  X(PartitionGraphs)        \
  X(PartialRunEnded)
// clang-format on

#define TROUPE_ALLOW_MESSAGE(name) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::name)
TROUPE_MESSAGES(TROUPE_ALLOW_MESSAGE)
#undef TROUPE_ALLOW_MESSAGE
