#pragma once

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include "actors/messages.h"

namespace troupe {

/// All actors, one alias each. Errors are caf::error of the category "troupe"; actors/errors.h turns them into
/// absl::Status. Handlers marked INTERNAL are for actors of this library only.

/// DEVICE: one per device of the machine, for all sessions. Kernels wait in its queues for the threads of their step's pool; it decides
/// whose turn it is, takes back what a cancelled step has queued, and answers for what runs on the device. It has no thread: who sends it
/// a message resumes it, unless another does already.
using DeviceActor = caf::typed_actor<
    // INTERNAL: an executor that runs on it; no longer.
    caf::reacts_to<JoinDevice>, caf::reacts_to<LeaveDevice>,
    // INTERNAL: launch a batch of ready nodes.
    caf::reacts_to<LaunchKernels>,
    // INTERNAL: give back a cancelled step's queued kernels.
    caf::reacts_to<DropKernels>,
    // Counters, queues and memory, by step.
    caf::replies_to<DeviceStatusRequest>::with<DeviceStatus>>;

/// RENDEZVOUS: one per step with several partitions. All handlers are INTERNAL.
using RendezvousActor = caf::typed_actor<
    // A new step begins.
    caf::reacts_to<RendezvousBegin>,
    // A value for whoever waits, or will wait, for its key.
    caf::reacts_to<RendezvousSend>,
    // Wait for a value; many of both.
    caf::reacts_to<RendezvousRecv>, caf::reacts_to<RendezvousBatch>,
    // The step is over: everyone who waits gets the error.
    caf::reacts_to<RendezvousAbort>,
    // What waits there.
    caf::replies_to<CopyRendezvous>::with<RendezvousCopy>>;

/// EXECUTOR: one per partition of a step. All handlers are INTERNAL.
using ExecutorActor = caf::typed_actor<
    // Run the partition with what the step's slot holds.
    caf::reacts_to<StartExecutor>,
    // Go on: kernels have completed, or the last turn ran out of budget.
    caf::reacts_to<DrainKernels>,
    // Start nothing more.
    caf::reacts_to<AbortExecutor>,
    // End the step, which waited for its device.
    caf::reacts_to<DeviceDone>,
    // What the step has come to, once it is at rest.
    caf::replies_to<CopyExecutor>::with<ExecutorCopy>,
    // What is not done, and what it waits for.
    caf::replies_to<InspectExecutor>::with<FrontierReply>>;

/// STEP: one per step that can run at the same time; used again and again. All handlers are INTERNAL.
using StepActor = caf::typed_actor<
    // Run; who waits hears of the end through the slot.
    caf::reacts_to<RunStep>,
    // One partition is through.
    caf::reacts_to<ExecutorDone>,
    // Stop; ignored unless the step with that id is running.
    caf::reacts_to<CancelStep>, caf::replies_to<InspectStep>::with<InspectStepReply>>;

/// PARTIAL RUN: one per partial run that was set up. A step whose feeds come and whose fetches go in turns, from any client.
/// It lives until it is done, has failed, is cancelled or abandoned (SessionOptions::partial_run_lease), or its session closes.
using PartialRunActor = caf::typed_actor<
    // Feed and fetch.
    caf::replies_to<PartialRunTurn>::with<RunReply>,
    // INTERNAL: the same, for a thread that waits.
    caf::reacts_to<TakeTurn>,
    // End.
    caf::reacts_to<CancelPartialRun>,
    // How far it is.
    caf::replies_to<InspectTurns>::with<PartialRunReport>,
    // INTERNAL: what another that goes on from here is made of.
    caf::replies_to<ForkTurns>::with<ReadyFork>,
    // INTERNAL
    caf::reacts_to<ForkTimeout>,
    // INTERNAL: begin.
    caf::reacts_to<StartPartialRun>,
    // INTERNAL: a fetch has come.
    caf::reacts_to<PartialRunValue>,
    // INTERNAL: the step is over.
    caf::reacts_to<StepOver>,
    // INTERNAL
    caf::reacts_to<PartialRunTimeout>,
    // INTERNAL
    caf::reacts_to<CheckLease>>;

/// SESSION: one per session. Cancelling is a broadcast that goes through it.
using SessionActor = caf::typed_actor<
    // Set the graph, once.
    caf::replies_to<CreateGraph>::with<Done>,
    // Add nodes to it; do without it from now on.
    caf::replies_to<ExtendGraph>::with<Done>, caf::replies_to<FinalizeRequest>::with<Done>,
    // Run one step.
    caf::replies_to<RunRequest>::with<RunReply>,
    // Begin one, whose end is told to a client of its own.
    caf::replies_to<BeginRun>::with<RunBegun>,
    // Prepare a signature; run it; forget it.
    caf::replies_to<MakeCallable>::with<CallableReply>, caf::replies_to<RunCallable>::with<RunReply>,
    caf::replies_to<ReleaseCallable>::with<Done>,
    // Begin a partial run: its name, and the PARTIAL RUN that takes its turns.
    caf::replies_to<PartialRunSetup>::with<std::string, PartialRunActor>,
    // A turn, by name; another that goes on from there; its end; how far it is, and how far all are.
    caf::replies_to<PartialRunRequest>::with<RunReply>,
    caf::replies_to<ForkPartialRun>::with<std::string, PartialRunActor>,
    caf::replies_to<EndPartialRun>::with<Done>, caf::replies_to<InspectPartialRun>::with<PartialRunReport>,
    caf::replies_to<ListPartialRuns>::with<PartialRunList>,
    // Cancel one step or all.
    caf::replies_to<CancelRequest>::with<CancelReply>,
    // Hear what becomes of steps; hear it no longer.
    caf::replies_to<Subscribe>::with<Done>, caf::replies_to<Unsubscribe>::with<Done>,
    // What the running steps do.
    caf::replies_to<InspectRequest>::with<InspectReply>,
    caf::replies_to<ListDevicesRequest>::with<ListDevicesReply>, caf::replies_to<ClearContainers>::with<Done>,
    // Cancel what runs and refuse everything after.
    caf::replies_to<CloseRequest>::with<Done>,
    // INTERNAL: what stands behind its handle; compile a signature and make a slot for it.
    caf::replies_to<CoreRequest>::with<CoreReply>, caf::replies_to<LeaseRequest>::with<SlotReply>,
    // INTERNAL: what the compile pool has made, and the master of a session elsewhere has answered.
    caf::reacts_to<CompileDone>, caf::reacts_to<GraphChanged>, caf::reacts_to<PartitionsDescribed>,
    caf::reacts_to<MasterAnswered>,
    // INTERNAL: clocks.
    caf::reacts_to<CheckDeadlines>, caf::reacts_to<CheckSlowSteps>,
    // INTERNAL: a partial run is over.
    caf::reacts_to<PartialRunEnded>,
    // INTERNAL: a run that nobody waits for wants a slot; its partition graphs; a run by message has begun; is over.
    caf::reacts_to<StartRun>, caf::reacts_to<DescribeRun>, caf::reacts_to<RunHasBegun>,
    caf::reacts_to<RunAnswered>,
    // INTERNAL: a signature's partitions, planned anew.
    caf::replies_to<PartitionGraphsRequest>::with<PartitionGraphs>>;

/// RUNTIME: one per troupe::Runtime.
using RuntimeActor = caf::typed_actor<
    // Have the factory for these options open a session: a SESSION of its own, or another's.
    caf::replies_to<OpenSession>::with<SessionActor>,
    // Have the factory for these options clear containers of all its sessions and close them.
    caf::replies_to<ResetRequest>::with<Done>, caf::replies_to<RuntimeStatusRequest>::with<RuntimeStatus>,
    // INTERNAL: a factory that may wait has answered.
    caf::reacts_to<FactoryOpened>, caf::reacts_to<FactoryReset>,
    // INTERNAL: look whether slots of sessions are needed no longer.
    caf::reacts_to<LookAtSlots>>;

class Runtime;

/// The RUNTIME of a runtime, for programs that talk to actors.
RuntimeActor runtime_actor(Runtime& runtime);

}  // namespace troupe
