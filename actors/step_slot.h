#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/interfaces.h"
#include "actors/reusable_message.h"
#include "actors/step/run_life.h"
#include "actors/step_calls.h"
#include "actors/units/lent_thread.h"
#include "devices/compiled_partition.h"

namespace troupe {

struct SessionCore;

/// A signature compiled: what all its steps share. Immutable.
struct SignatureCode {
  std::vector<std::shared_ptr<const CompiledPartition>> partitions;
  /// In the order of the sorted feeds and fetches.
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<DataType> feed_types;
  std::vector<DataType> fetch_types;
  bool has_transfers = false;
  /// A graph without nodes whose library holds the functions that are called at run time; null when there are none.
  std::shared_ptr<const Graph> functions;
  /// Of a partial run, which begins the rendezvous itself.
  bool partial = false;
};

/// How many slots there are: of a session, now and the most there ever were; of its runtime, those that are not gone.
struct SlotCounts {
  std::atomic<int64_t> now{0};
  std::atomic<int64_t> most{0};
  std::shared_ptr<std::atomic<int64_t>> of_runtime;
};

/// Everything that one step needs and that is used again for the next: the actors STEP, EXECUTORs and RENDEZVOUS, their
/// execution unit, feeds and fetches. Leased by one run at a time; `mu` and the atomics are for those outside (SESSION).
struct StepSlot : std::enable_shared_from_this<StepSlot> {
  /// `counts` is the session's.
  StepSlot(std::shared_ptr<const SignatureCode> c, std::shared_ptr<SessionCore> s, SlotCounts* counts,
           caf::actor_system* system, NamedPool* pool);
  ~StepSlot();

  /// Marks the slot as running step `id`; the leaseholder calls it before RunStep.
  void begin(int64_t id, std::chrono::steady_clock::time_point deadline);
  /// Back to idle: forgets tensors, re-arms the token.
  void end();
  /// Trips the token when step `id` (0: whichever) is running; returns its id, or 0. Nobody else trips it. What is registered
  /// with the token is called on this thread and without a lock of the slot's; `end` waits for it.
  int64_t cancel(int64_t id, absl::Status reason);
  /// Sends the first message of a step that has begun: to its only EXECUTOR, or to its STEP. When an actor had died before,
  /// the run ends here, as a false start.
  void start();
  /// From the STEP, which is about to die: ends the run that it can no longer end otherwise.
  void abandon(absl::Status reason);
  /// Of the step that runs, or of the last; from any thread.
  int64_t step_id() const { return step_id_.load(std::memory_order_relaxed); }

  /// The run is over: tells who waits for it. Nothing of the slot may be touched after.
  void signal_finished();
  /// From the executor of a direct run: its end is the step's end. Nothing when the STEP ended the run before.
  void finish_directly();
  /// Adds to the status of a step that was cancelled how far it came, and what it was waiting for: as far as executors tell
  /// that have ended, for the others may still be at work.
  void describe_cancel(const std::function<bool(size_t)>& has_ended, bool all_ended);

  /// A DEVICE that it needs has died, which its STEP may not have heard yet.
  bool lost_device() const;

  /// What can be said of the running step without asking its actors: its kernels that hold their threads. step_id 0
  /// when idle.
  StepReport report_from_outside();

  // Constant after construction.
  /// First, so that it goes last: kernels that go with the slot clear away what they made in the session.
  const std::shared_ptr<SessionCore> session;
  const std::shared_ptr<const SignatureCode> code;
  std::string container;
  /// Shared with the actors, which may outlive the slot by a moment.
  const std::shared_ptr<LentThread> unit;
  StepActor step;
  std::vector<ExecutorActor> executors;
  RendezvousActor rendezvous;
  std::unique_ptr<Rendezvous> rendezvous_face;
  std::vector<DeviceActor> devices;
  std::vector<std::unique_ptr<ExecutorState>> states;
  std::vector<std::unique_ptr<StepState>> step_states;
  /// Runs what kernels of this step call.
  std::shared_ptr<StepCalls> functions;

  // Of the running step; the leaseholder's before RunStep and after `finished`, the actors' between.
  std::vector<Tensor> args;
  std::vector<Tensor> retvals;
  bool inline_only = false;
  bool collect_stats = false;
  /// RunMetadata is to have a cost graph.
  bool build_cost_model = false;
  NamedPool* pool = nullptr;
  absl::Status status;
  int64_t nodes_run = 0;
  /// How it ended: an actor had died before anything ran, and the run may be tried again on another slot.
  bool false_start = false;
  std::atomic<bool> finished{false};
  /// Set for a step that no thread waits for (one nested in another, one by message): called once instead, by whoever ends it.
  std::function<void()> when_finished;
  /// Of a nested step: the id of the outermost step, which its kernels see; else 0.
  int64_t outer_step_id = 0;
  /// One executor and no rendezvous: StartExecutor may go straight to it, and STEP only supervises.
  bool can_run_directly = false;
  /// Whose run it is, and who ends it.
  RunLife life;
  CancellationToken token;
  /// steady_clock ticks; 0: none.
  std::atomic<int64_t> deadline{0};

  // Messages of the steady state, used again for every step.
  ReusableMessage<RunStep> run_message;
  std::vector<ReusableMessage<StartExecutor>> start_messages;
  std::vector<ReusableMessage<DrainKernels>> drain_messages;
  std::vector<ReusableMessage<ExecutorDone>> done_messages;

 private:
  SlotCounts* const counts_;
  std::atomic<int64_t> step_id_{0};
  void trip(std::unique_lock<std::mutex> held, absl::Status reason);

  std::mutex mu_;
  /// Cleared with mu_ held.
  std::atomic<int64_t> running_{0};
  /// Those who are tripping the token now, and who waits for them.
  int cancelling_ = 0;  // guarded by mu_
  std::condition_variable tripped_;
  /// steady_clock ticks.
  std::atomic<int64_t> began_{0};

 public:
  /// When the step that runs, or the last, began; from any thread.
  std::chrono::steady_clock::time_point began() const {
    using Clock = std::chrono::steady_clock;
    return Clock::time_point(Clock::duration(began_.load(std::memory_order_relaxed)));
  }
};

/// Ends the actors of a slot; nothing may be running.
void stop_slot(const std::shared_ptr<StepSlot>& slot);
/// Ends a leased slot that lost an actor. Kernels of it may still be at work: they keep it until they have answered.
void discard_slot(const std::shared_ptr<StepSlot>& slot);

}  // namespace troupe
