#include "actors/partial_run_actor.h"

#include <algorithm>
#include <optional>

#include <caf/all.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/partial_run_forks.h"
#include "actors/partial_run_slot.h"
#include "actors/turn_call.h"
#include "actors/units/sender_thread.h"
#include "graph/passes/planner.h"

namespace troupe {
namespace {

using Clock = std::chrono::steady_clock;

/// What a client waits for.
struct Turn {
  TurnAnswer answer;
  std::vector<std::string> fetches;
  FetchListener listener;
  RunReply reply;
  size_t missing = 0;
};

/// A lease is looked at this often, however long it is: the clock keeps the actor until then, though it may
/// long be over.
constexpr std::chrono::seconds kLeaseCheck{1};

///   open --- all fed and fetched, step over -------------> over
///   open --- error, cancel, lease over ---> failed ------> over
/// `failed` keeps the first error for the client who has not heard it yet.
enum class Phase { kOpen, kFailed, kOver };

class PartialRunImpl final : public PartialRunActor::base, private ForkedRun {
 public:
  PartialRunImpl(caf::actor_config& config, PartialRunParts parts)
      : PartialRunActor::base(config), parts_(std::move(parts)), unit_(&system(), this),
        step_unit_(parts_.lease.slot()->unit),
        held_(std::make_shared<PartialRunSlot>(
            parts_.core, std::move(parts_.place), std::move(parts_.lease),
            parts_.turns != nullptr ? parts_.turns : std::make_shared<TurnUnit>(step_unit_))) {
    if (parts_.origin != nullptr) {
      state_.emplace(parts_.origin->state);
    } else {
      state_.emplace(parts_.graph, parts_.setup.feeds, parts_.setup.fetches);
    }
    set_down_handler([this](const caf::down_msg&) { client_died(); });
  }

  const char* name() const override { return "partial-run"; }

  using PartialRunActor::base::enqueue;
  /// What a thread that serves the step sends is handled there and then; all else where CAF has it handled, so that a cancel does not wait
  /// for a kernel.
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* unit) override {
    PartialRunActor::base::enqueue(std::move(what), step_unit_->is_lent_here() ? &unit_ : unit);
  }

  void on_exit() override {
    const absl::Status ended = absl::CancelledError("the partial run's actor has ended");
    fail_turns(ended);
    forks_.fail(ended);
    if (leased()) abandon_slot();
    parts_ = {};
    state_.reset();
  }

  behavior_type make_behavior() override {
    return {
        [this](const PartialRunTurn& m) -> caf::result<RunReply> {
          auto promise = make_response_promise<RunReply>();
          take_turn(m, {promise, nullptr});
          return promise;
        },
        [this](const TakeTurn& m) {
          take_turn(m.call->turn(), {{}, m.call});
        },
        [this](const CancelPartialRun& m) { cancel(m); },
        [this](InspectTurns) { return report(); },
        [this](ForkTurns) -> caf::result<ReadyFork> { return fork(); },
        [this](ForkTimeout m) { forks_.time_out(m.fork); },
        [this](StartPartialRun) { start(); },
        [this](const PartialRunValue& m) { receive(m); },
        [this](PartialRunTimeout m) {
          if (turns_.contains(m.turn)) {
            fail(absl::DeadlineExceededError("Timed out waiting for notification"));
          }
        },
        [this](StepOver) { step_ended(); },
        [this](CheckLease) { check_lease(); },
    };
  }

 private:
  /// Until the slot has been given back.
  bool leased() const { return held_ != nullptr; }
  StepSlot& slot() { return held_->slot(); }

  void start() {
    if (std::exchange(begun_, true)) return;
    last_turn_ = parts_.core->now();
    if (parts_.patience.count() > 0) check_lease_after(parts_.patience);
    if (phase_ == Phase::kOpen) {
      start_step();
    } else {
      // A cancel goes before the start when both wait.
      release_slot();
      if (told_) end();
    }
    if (!watch_client()) client_died();
    forks_.go_on();
  }

  void start_step() {
    RunOptions no_deadline;
    no_deadline.timeout = std::chrono::milliseconds(-1);
    absl::Status ready = held_->lease().begin(no_deadline, parts_.cancels);
    if (!ready.ok()) {
      release_slot();
      return fail(ready);
    }
    slot().when_finished = [self = PartialRunActor(this), held = held_] { caf::anon_send(self, StepOver{}); };
    if (parts_.origin != nullptr) slot().origins = std::move(parts_.origin->step.executors);
    // The rendezvous begins before any turn sends it a value.
    slot().life.start();
    if (parts_.origin != nullptr) {
      for (RendezvousTable::Kept& kept : parts_.origin->step.values)
        send(slot().rendezvous, RendezvousSend{kept.key, std::move(kept.value), kept.is_dead});
      parts_.origin = nullptr;
    }
  }

  /// False when it is dead.
  bool watch_client() {
    if (parts_.client == nullptr) return true;
    const auto client = caf::actor_cast<caf::strong_actor_ptr>(parts_.client);
    if (client != nullptr) monitor(client);
    return client != nullptr;
  }

  void client_died() {
    give_up(
        absl::CancelledError(absl::StrCat("The client of the partial run ", parts_.handle, " has died.")));
  }

  // --- turns ---

  void take_turn(const PartialRunTurn& m, TurnAnswer answer) {
    start();
    if (phase_ == Phase::kOver || (phase_ == Phase::kFailed && told_))
      return answer.deliver(no_partial_run());
    std::vector<std::string> fed;
    for (const NamedTensor& f : m.feeds) fed.push_back(f.first);
    if (auto s = state_->take_turn(fed, m.fetches); !s.ok()) return answer.deliver(s);
    if (phase_ == Phase::kFailed) {
      absl::Status why = status_;
      end();
      return answer.deliver(why);
    }
    last_turn_ = parts_.core->now();
    const DeviceSet& devices = *parts_.core->devices;
    for (const NamedTensor& f : m.feeds) {
      auto value = fed_tensor(*parts_.core, f.second);
      if (!value.ok()) {
        told_ = true;
        fail(value.status());
        return answer.deliver(value.status());
      }
      send(slot().rendezvous, RendezvousSend{partial_run_key(devices, f.first), *std::move(value), false});
    }
    const int64_t id = next_turn_++;
    Turn& turn = turns_[id];
    turn.answer = std::move(answer);
    turn.fetches = m.fetches;
    turn.listener = m.listener;
    turn.missing = m.fetches.size();
    turn.reply.fetches.resize(m.fetches.size());
    turn.reply.stats.step_id = slot().life.id();
    PartialRunActor self = this;
    for (size_t i = 0; i < m.fetches.size(); ++i) {
      send(slot().rendezvous,
           RendezvousRecv{
               partial_run_key(devices, m.fetches[i]),
               std::make_shared<Receiver>([self, id, i](absl::Status status, Tensor value, bool is_dead) {
                 caf::anon_send(self, PartialRunValue{id, i, std::move(status), std::move(value), is_dead});
               })});
    }
    const auto patience = parts_.core->options->operation_timeout;
    if (patience.count() > 0 && turn.missing > 0) delayed_send(this, patience, PartialRunTimeout{id});
    if (turn.missing == 0) turn_complete(id);
  }

  void receive(const PartialRunValue& m) {
    auto it = turns_.find(m.turn);
    if (it == turns_.end()) return;
    if (!m.status.ok()) return fail(m.status);
    if (m.is_dead) {
      return fail(absl::InvalidArgumentError(
          absl::StrCat("The tensor returned for ", it->second.fetches[m.index], " was not valid.")));
    }
    Turn& turn = it->second;
    turn.reply.fetches[m.index] = m.value;
    if (turn.listener != nullptr)
      send(turn.listener, FetchReady{parts_.handle, m.index, turn.fetches[m.index], m.value});
    if (--turn.missing == 0) turn_complete(m.turn);
  }

  /// Answers; but the last turn's answer waits for the step's end.
  void turn_complete(int64_t id) {
    if (state_->complete() && turns_.size() == 1 && !step_over_) return;
    auto it = turns_.find(id);
    Turn turn = std::move(it->second);
    turns_.erase(it);
    if (leased()) keep_session_handles(slot(), turn.fetches);
    // The last answer comes when nothing of the run is left.
    if (state_->complete() && turns_.empty()) end();
    turn.answer.deliver(std::move(turn.reply));
    forks_.go_on();
  }

  void fail_turns(const absl::Status& status) {
    auto turns = std::move(turns_);
    turns_.clear();
    for (auto& [id, turn] : turns) turn.answer.deliver(status);
  }

  // --- ends ---

  /// The executors are through. Values of theirs may still be on their way here.
  void step_ended() {
    if (!begun_ || !leased() || std::exchange(step_over_, true)) return;
    absl::Status status = slot().life.end().status;
    if (phase_ == Phase::kFailed) {
      release_slot();
      if (told_) end();
      return;
    }
    if (!status.ok()) return fail(status);
    for (auto& [id, turn] : turns_) {
      if (turn.missing == 0) return turn_complete(id);
    }
  }

  /// The first error ends the run; whoever waits hears it now, else the next one to come.
  void fail(const absl::Status& status) {
    if (phase_ != Phase::kOpen) return;
    phase_ = Phase::kFailed;
    status_ = status;
    told_ = told_ || !turns_.empty();
    fail_turns(status);
    forks_.fail(status);
    if (!leased()) {
      if (told_) end();
    } else if (!begun_) {
      // Its start finds that it has failed.
    } else if (step_over_) {
      release_slot();
      if (told_) end();
    } else {
      const int64_t id = slot().life.cancel(0, status);
      send<caf::message_priority::high>(slot().step, CancelStep{id});
    }
  }

  void cancel(const CancelPartialRun& m) {
    if (phase_ == Phase::kOver || (m.step_id != 0 && m.step_id != step_id())) return;
    fail(m.status);
  }

  void check_lease_after(Clock::duration rest) {
    delayed_send(this, std::min<Clock::duration>(rest, kLeaseCheck), CheckLease{});
  }

  void check_lease() {
    if (phase_ == Phase::kOver) return;
    const auto patience = parts_.patience;
    const auto idle = parts_.core->now() - last_turn_;
    const bool busy = !turns_.empty() || forks_.waiting() > 0;
    if (busy || idle < patience) return check_lease_after(busy ? Clock::duration(patience) : patience - idle);
    give_up(absl::DeadlineExceededError(absl::StrCat(
        "The partial run ", parts_.handle, " was abandoned: no turn for ", patience.count(), " ms")));
  }

  /// Fails, and keeps the error for nobody.
  void give_up(const absl::Status& status) {
    fail(status);
    told_ = true;
    if (!leased()) end();
  }

  PartialRunReport report() {
    PartialRunReport r;
    r.handle = parts_.handle;
    r.step_id = step_over_ ? 0 : step_id();
    r.feeds_to_come = state_->feeds_to_come();
    r.fetches_to_come = state_->fetches_to_come();
    r.turns_waiting = static_cast<int>(turns_.size());
    r.forks_waiting = forks_.waiting();
    r.idle = std::chrono::duration_cast<std::chrono::milliseconds>(parts_.core->now() - last_turn_);
    r.lease = parts_.patience;
    r.status = status_;
    return r;
  }

  // --- forks ---

  caf::result<ReadyFork> fork() {
    if (phase_ == Phase::kFailed) return to_error(status_);
    if (phase_ == Phase::kOver) return to_error(no_partial_run());
    last_turn_ = parts_.core->now();
    auto promise = make_response_promise<ReadyFork>();
    forks_.add(promise, parts_.core->cancels(), parts_.core->options->operation_timeout);
    return promise;
  }

  std::shared_ptr<StepSlot> slot_to_copy() override {
    return begun_ && phase_ == Phase::kOpen && turns_.empty() && leased() ? held_->lease().slot() : nullptr;
  }
  int64_t turns_taken() const override { return next_turn_; }

  absl::StatusOr<ReadyFork> fork_from(StepCopy copy, int64_t cancels) override {
    for (const auto& state : slot().step_states) {
      if (!state->used_step_container.load()) continue;
      return absl::UnimplementedError(absl::StrCat(
          "The partial run ", parts_.handle, " cannot be forked: nodes of it on ", state->device->name(),
          " keep resources (TensorArrays, stacks, temporary variables) that ", "end with its step"));
    }
    auto parts = std::make_shared<PartialRunParts>();
    parts->core = parts_.core;
    parts->alias = parts_.alias;
    parts->graph = parts_.graph;
    parts->setup = parts_.setup;
    parts->cancels = cancels;
    parts->patience = parts_.patience;
    parts->client = parts_.client;
    parts->origin = std::make_shared<PartialRunOrigin>(*state_, std::move(copy));
    return ReadyFork{std::move(parts)};
  }

  /// 0 unless its step is under way: before, the id of the slot is another's.
  int64_t step_id() { return begun_ && leased() ? slot().life.id() : 0; }

  /// Nothing more to come and nobody to tell: SESSION forgets the handle.
  void end() {
    if (phase_ == Phase::kOver) return;
    phase_ = Phase::kOver;
    forks_.fail(absl::FailedPreconditionError(
        absl::StrCat("The partial run ", parts_.handle, " has ended, and cannot be forked.")));
    if (leased() && step_over_) release_slot();
    send(parts_.core->actor, PartialRunEnded{parts_.handle});
  }

  void release_slot() {
    auto held = std::exchange(held_, nullptr);
    if (held != nullptr) held->give_back();
  }

  /// This actor ends before its step, which is stopped and gives the slot back itself.
  void abandon_slot() {
    if (!step_over_) {
      const int64_t id = slot().life.cancel(0, absl::CancelledError("PRun cancellation"));
      if (id != 0) caf::anon_send(slot().step, CancelStep{id});
    }
    held_ = nullptr;
  }

  PartialRunParts parts_;
  /// Goes when nobody holds this actor: nobody sends it anything then.
  SenderThread unit_;
  const std::shared_ptr<LentThread> step_unit_;
  std::shared_ptr<PartialRunSlot> held_;
  /// Empty once the actor has ended.
  std::optional<PartialRunState> state_;
  Phase phase_ = Phase::kOpen;
  /// Why it failed, and whether some client heard it.
  absl::Status status_;
  bool told_ = false;
  bool begun_ = false;
  bool step_over_ = false;
  int64_t next_turn_ = 1;
  absl::flat_hash_map<int64_t, Turn> turns_;
  PartialRunForks forks_{this, this};
  Clock::time_point last_turn_;
};

}  // namespace

PartialRunActor spawn_partial_run(caf::actor_system& system, PartialRunParts parts) {
  return system.spawn<PartialRunImpl, caf::hidden + caf::lazy_init>(std::move(parts));
}

}  // namespace troupe
