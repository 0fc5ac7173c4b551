#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/interfaces.h"
#include "actors/remote_tasks.h"
#include "actors/reusable_message.h"
#include "actors/signature_code.h"
#include "actors/step/run_life.h"
#include "actors/step_calls.h"
#include "actors/units/lent_thread.h"

namespace troupe {

struct SessionCore;

/// How many slots there are: of a session, now and the most there ever were; of its runtime, those that are not gone.
struct SlotCounts {
  std::atomic<int64_t> now{0};
  std::atomic<int64_t> most{0};
  std::shared_ptr<std::atomic<int64_t>> of_runtime;
};

/// Everything that one step needs and that is used again for the next: the actors STEP, EXECUTORs and RENDEZVOUS, their
/// execution unit, feeds and fetches. Leased by one run at a time; `life` and the atomics are for those outside (SESSION).
struct StepSlot : std::enable_shared_from_this<StepSlot>, private RunHost {
  /// `counts` is the session's.
  StepSlot(std::shared_ptr<const SignatureCode> c, std::shared_ptr<SessionCore> s, SlotCounts* counts,
           caf::actor_system* system, NamedPool* pool);
  ~StepSlot() override;

  /// The leaseholder calls it before `life.start`. `began`: now, by coarse_now.
  void begin(int64_t id, std::chrono::steady_clock::time_point deadline,
             std::chrono::steady_clock::time_point began);
  /// From `begin` to `end` the kernels' allocations go through it.
  void keep_account(std::shared_ptr<StepAllocations> account);
  /// Back to idle: forgets tensors, re-arms the token.
  void end();
  /// The run is over: tells who waits for it. Nothing of the slot may be touched after.
  void signal_finished();
  /// When the step that runs, or the last, began; from any thread.
  std::chrono::steady_clock::time_point began() const;
  /// A DEVICE that it needs has died, which its STEP may not have heard yet.
  bool lost_device() const;
  /// How part number i ended, and how many nodes it ran: its executor's, and the STEP's when that is through.
  const absl::Status& part_status(size_t i) const;
  int64_t part_nodes_run(size_t i) const;
  /// For people: the device of a partition, or the task of a part elsewhere.
  const std::string& part_name(size_t i) const;
  /// The id by which other tasks know the running step.
  int64_t shared_id() const { return cluster_step_id != 0 ? cluster_step_id : life.id(); }
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
  /// How the parts elsewhere ended.
  std::vector<RemotePart::End> remote_ends;
  /// Where values go that cross tasks; null for a session in one task.
  std::shared_ptr<StepExchange> exchange;
  std::vector<std::unique_ptr<StepState>> step_states;
  /// Runs what kernels of this step call.
  std::shared_ptr<StepCalls> functions;

  // Of the running step; the leaseholder's before it starts and after its end, the actors' between.
  /// Of a step that goes on where another was, by partition; the EXECUTOR takes it.
  std::vector<std::shared_ptr<ExecutorState::Snapshot>> origins;
  std::vector<Tensor> args;
  std::vector<Tensor> retvals;
  bool inline_only = false;
  bool collect_stats = false;
  /// Its run is told them; else they are for a trace.
  bool reports_stats = false;
  /// RunMetadata is to have a cost graph.
  bool build_cost_model = false;
  NamedPool* pool = nullptr;
  /// What the kernels of the outermost step and of those nested in it allocate; null when nobody asked.
  std::shared_ptr<StepAllocations> allocations;
  /// Among the kernels that wait for that pool's threads; more goes first.
  int64_t priority = 0;
  /// Splits the loops of its kernels instead of the device's; null: the device's.
  ParallelRunner* loops = nullptr;
  /// Of a run that brings threads of its own, and of the steps nested in it: `pool`. Of the run: `loops`.
  std::shared_ptr<NamedPool> lent_pool;
  std::unique_ptr<ParallelRunner> lent_loops;
  std::atomic<bool> finished{false};
  /// Set for a step that no thread waits for (one nested in another, one by message): called once instead, by whoever ends it.
  std::function<void()> when_finished;
  /// Of a nested step: the id of the outermost step, which its kernels see; else 0.
  int64_t outer_step_id = 0;
  /// Of a part of another task's step: the id that it has there; else 0.
  int64_t cluster_step_id = 0;
  /// Whose run it is, who takes part and who ends it. One executor and no rendezvous: StartExecutor goes straight to it, and
  /// STEP only supervises.
  RunLife life;
  /// steady_clock ticks; 0: none.
  std::atomic<int64_t> deadline{0};

  // Messages of the steady state, used again for every step.
  ReusableMessage<RunStep> run_message;
  std::vector<ReusableMessage<StartExecutor>> start_messages;
  std::vector<ReusableMessage<DrainKernels>> drain_messages;
  std::vector<ReusableMessage<ExecutorDone>> done_messages;

 private:
  // RunHost
  void start_step(int64_t id) override;
  void begin_rendezvous(int64_t id) override;
  void start_executor(size_t index) override;
  void stop_executor(size_t index, int64_t id, const absl::Status& why) override;
  void stop_rendezvous(int64_t id, const absl::Status& why) override;
  void drop_kernels() override;
  void tell_ended(RunEnd& end, bool all_done) override;
  /// Adds to the status of a step that was cancelled how far it came, and what it was waiting for: as far as executors tell
  /// that have ended, for the others may still be at work.
  void describe_cancel(RunEnd& end, bool all_done) const;

  SlotCounts* const counts_;
  /// steady_clock ticks.
  std::atomic<int64_t> began_{0};
};

/// Ends the actors of a slot that no run has in hand. Kernels of a run that broke off may still be at work: they keep it until they
/// have answered.
void stop_slot(const std::shared_ptr<StepSlot>& slot);

}  // namespace troupe
