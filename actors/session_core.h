#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/callable_code.h"
#include "actors/partial_run_table.h"
#include "actors/remote_tasks.h"
#include "actors/run_gate.h"
#include "actors/signature_cache.h"
#include "actors/signature.h"
#include "actors/step_listeners.h"
#include "actors/step_meter.h"
#include "actors/units/named_pool.h"
#include "devices/cpu/folding_evaluator.h"
#include "devices/device_set.h"

namespace troupe {

class AllocationLog;
class Debugger;
class FunctionCache;
class IdleSlots;
class RemoteMaster;
struct Services;

/// What SESSION shares with the callers that run steps: the compiled signatures, the gate, the counters. SESSION alone
/// decides; callers read. Lives until the last slot and the last compiler are gone.
struct SessionCore : std::enable_shared_from_this<SessionCore> {
  using Places = std::list<std::weak_ptr<SessionCore>>;

  ~SessionCore();

  /// What the runtime's devices and pools are made of. First, so that it goes last.
  std::shared_ptr<void> runtime_parts;
  /// Never kept: its future is ready when all below is gone, kernels and resources too.
  std::promise<void> gone;
  const std::shared_future<void> when_gone = gone.get_future().share();

  /// Where it stands among the runtime's sessions: the SessionTable's.
  std::optional<Places::iterator> at;
  /// Unlike any other of the runtime.
  int64_t id = 0;
  /// For people: the client's name for it (SessionOptions::handle), else its number.
  std::string name() const;
  /// Logs each of these texts that the session has not logged before. Thread-safe.
  void warn_once(std::span<const std::string> texts);

  static const std::shared_ptr<const SessionOptions>& default_options();

  /// @name Running
  RunGate gate;
  bool closed() const { return gate.is_shut(); }
  /// Counts a run in. Cancelled "Session has been closed." when the gate is shut.
  absl::StatusOr<RunGate::Place> enter(int stripe = RunGate::kActorStripe);

  /// The same for a run. InvalidArgument "Session was not created with a graph before Run()!", too.
  absl::StatusOr<RunGate::Place> enter_run(int stripe);
  absl::Status check_graph() const;
  /// FailedPrecondition "Session has been finalized."
  absl::Status check_not_finalized() const;

  /// @name Cancelling every step, those too that were counted in but have no slot yet
  /// How often so far; a run remembers it from when it was counted in.
  int64_t cancels() const { return cancels_.load(std::memory_order_seq_cst); }
  /// SESSION calls it before it broadcasts.
  void note_cancel(absl::Status reason);
  absl::Status last_cancel() const;

  CallableHandle add_callable(std::shared_ptr<const CallableCode> callable);
  /// InvalidArgument "No such callable handle: h", or when it was released.
  absl::StatusOr<std::shared_ptr<const CallableCode>> callable(CallableHandle handle) const;
  absl::Status release_callable(CallableHandle handle);
  void release_callables();

  std::vector<DeviceInfo> device_infos() const;
  /// The pool that RunOptions::inter_op_pool names; InvalidArgument "Invalid inter_op_thread_pool: N".
  absl::StatusOr<NamedPool*> pool(int index) const;

  caf::actor_system* system = nullptr;
  /// What deadlines and leases go by: the actor system's clock.
  std::chrono::steady_clock::time_point now() const;
  /// Shared by sessions that ask for the same. Never null.
  std::shared_ptr<const SessionOptions> options = default_options();
  /// What its kernels see of `options`.
  std::unique_ptr<const SessionMetadata> metadata;
  /// Why no graph can be given to it: its options ask for pools that cannot be had.
  absl::Status cannot_begin;
  /// Its own, or shared with other sessions (SessionOptions::devices).
  std::shared_ptr<DeviceSet> devices;
  /// The RUNTIME's DEVICE of a device, alive; thread-safe.
  std::function<DeviceActor(const Device&)> find_device_actor;
  /// Tripped when the session closes or dies: what is compiled for it ends.
  CancellationToken closing;
  std::unique_ptr<FoldingEvaluator> evaluator;
  const OpRegistry* ops = nullptr;
  std::vector<std::shared_ptr<NamedPool>> pools;
  /// Hears what its steps allocate; null unless the environment asks for it (log_memory.h).
  AllocationLog* memory_log = nullptr;
  /// Steps wait at their end for what their kernels enqueued on devices (Environment::sync_on_finish).
  bool sync_on_finish = true;
  /// The runtime's threads that may wait, and its clock.
  std::shared_ptr<Services> services;
  /// Where graphs are imported, and signatures and functions compiled: what takes long, and what takes long to free.
  std::shared_ptr<NamedPool> compilers;
  /// Lets go of it there: freeing a large graph takes a while.
  template <class T>
  void free_later(T garbage) {
    compilers->run([garbage = std::make_shared<T>(std::move(garbage))] {});
  }
  StatefulKernels stateful;
  std::unique_ptr<SharedNodes> nodes = std::make_unique<SharedNodes>();
  SessionTensors tensors;
  /// Of runs that are debugged.
  std::shared_ptr<Debugger> debugger;
  /// Of a session of several tasks: where values cross, and who runs what is placed elsewhere; null otherwise. A WORKER's has the first alone.
  std::shared_ptr<StepExchange> exchange;
  std::shared_ptr<RemoteTasks> remote;
  /// Of a session elsewhere (SessionOptions::master); null otherwise.
  std::shared_ptr<RemoteMaster> master;
  /// The functions that steps call.
  std::shared_ptr<FunctionCache> functions;
  /// What lets the steps of a slot call functions.
  std::shared_ptr<StepCalls> (*make_calls)(StepSlot*) = nullptr;
  SessionActor actor;

  SessionCounters counters() const;
  SlotCounts slot_counts;
  std::atomic<bool> has_graph{false};
  /// FinalizeRequest: no graph any more, and what is compiled is all there is. SESSION writes it.
  std::atomic<bool> finalized{false};
  /// What `idle_slots` watches.
  std::atomic<bool> slots_watched{false};
  SignatureCache signatures;
  /// Where turns are sent.
  PartialRunTable partial_runs;
  /// Earliest deadline for which SESSION has set its clock; INT64_MAX: none.
  std::atomic<int64_t> armed{INT64_MAX};
  /// The runtime's, which is told when a slot of this session lies idle.
  IdleSlots* idle_slots = nullptr;

  /// The runtime's. Never null.
  std::shared_ptr<StepMeter> meter = std::make_shared<StepMeter>();
  /// Who hears what becomes of steps.
  StepListeners listeners;

  /// Every slot that was ever made and is not gone; SESSION's broadcast goes to all of them.
  std::vector<std::weak_ptr<StepSlot>> slots();
  void add_slot(const std::shared_ptr<StepSlot>& slot);

 private:
  std::atomic<int64_t> cancels_{0};
  /// One for all that is held for moments.
  mutable std::mutex mu_;
  // Guarded by mu_.
  absl::Status last_cancel_;
  /// No more than there are fields that do nothing; null while there are none.
  std::unique_ptr<std::set<std::string>> warned_;
  /// What is below next_callable_ and not there was released.
  absl::flat_hash_map<CallableHandle, std::shared_ptr<const CallableCode>> callables_;
  CallableHandle next_callable_ = 0;
  std::vector<std::weak_ptr<StepSlot>> slots_;
  /// Those that are gone are swept when there are so many: at most half are gone then.
  static constexpr size_t kFewSlots = 8;
  size_t sweep_slots_at_ = kFewSlots;
};

/// What a feed stands for: a session handle (GetSessionHandleV2) for the tensor that it names, anything else for itself.
/// InvalidArgument "The tensor with handle 'h' is not in the session store.", and for handles of other resources.
absl::StatusOr<Tensor> fed_tensor(const SessionCore& core, const Tensor& value);
/// The session handles among these fetches stay when the step, which has ended well or got so far, is over.
void keep_session_handles(StepSlot& slot, std::span<const std::string> fetches);

/// Cancelled "Run call was cancelled: <reason>".
absl::Status cancelled_by_caller(absl::string_view reason);

/// InvalidArgument "Expected n feed tensors, but got m."
absl::Status check_callable(const CallableCode& callable, size_t num_feeds);

/// Blocks until no run is counted in. False when the patience is over first: the log then names what still runs.
bool wait_for_runs(SessionCore& core, std::chrono::milliseconds patience);

}  // namespace troupe
