#include "actors/session_base.h"

#include <caf/all.hpp>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/function_cache.h"
#include "actors/make_slot.h"
#include "actors/signature_key.h"
#include "proto/graph.pb.h"

namespace troupe {

SessionBase::SessionBase(caf::actor_config& config, std::shared_ptr<SessionCore> core)
    : OnAskersThread(config), core_(std::move(core)) {
  set_down_handler([this](const caf::down_msg& down) { runs_.client_died(down.source); });
}

SessionBase::behavior_type SessionBase::make_behavior() {
  return {
      [this](const CreateGraph& m) { return create(m); },
      [this](const ExtendGraph& m) { return extend(m); },
      [this](FinalizeRequest m) { return change(m); },
      [this](const RunRequest& m) -> caf::result<RunReply> { return run(m); },
      [this](const BeginRun& m) { return begin(m); },
      [this](const MakeCallable& m) -> caf::result<CallableReply> { return make_callable(m); },
      [this](const RunCallable& m) -> caf::result<RunReply> { return run_callable(m); },
      [this](ReleaseCallable m) { return answer(core_->release_callable(m.handle)); },
      [this](const PartialRunSetup& m) { return set_up(m); },
      [this](const PartialRunRequest& m) -> caf::result<RunReply> { return take_turn(m); },
      [this](const ForkPartialRun& m) { return partial_runs().fork(m); },
      [this](const EndPartialRun& m) { return partial_runs().end(m); },
      [this](const InspectPartialRun& m) { return partial_runs().inspect(m); },
      [this](ListPartialRuns) { return partial_runs().list(); },
      [this](const CancelRequest& m) -> caf::result<CancelReply> { return cancel(m); },
      [this](const Subscribe& m) { return answer(subscriptions_.add(core_, m)); },
      [this](const Unsubscribe& m) { return answer(subscriptions_.remove(*core_, m)); },
      [this](InspectRequest) -> caf::result<InspectReply> { return inspect(); },
      [this](ListDevicesRequest) { return list_devices(); },
      [this](const ClearContainers& m) { return clear_containers(m.containers); },
      [this](CloseRequest) { return close(); },
      [this](CoreRequest) { return CoreReply{core_}; },
      [this](const LeaseRequest& m) -> caf::result<SlotReply> { return lease(m); },
      [this](const CompileDone& m) { compiled(m); },
      [this](const GraphChanged& m) { graph_changed(m); },
      [this](const PartitionsDescribed& m) { described(m); },
      [](const MasterAnswered& m) { (*m.then)(); },
      [this](CheckDeadlines) { check_deadlines(); },
      [this](CheckSlowSteps m) { subscriptions_.look(*core_, m); },
      [this](const PartialRunEnded& m) { partial_runs().forget(m.handle); },
      [this](const StartRun& m) { start_run(m.run); },
      [this](const DescribeRun& m) {
        describe(m.run->names, [run = m.run](const auto& graphs) { run->add_graphs(graphs); });
      },
      [this](RunHasBegun m) { runs_.begun(m); },
      [this](const RunAnswered& m) { runs_.ended(m); },
      [this](const PartitionGraphsRequest& m) { return partition_graphs(m); },
  };
}

caf::result<Done> SessionBase::answer(const absl::Status& status) {
  if (status.ok()) return Done{};
  return to_error(status);
}

caf::result<Done> SessionBase::create(const CreateGraph& m) {
  if (m.proto == nullptr && m.graph == nullptr)
    return to_error(absl::InvalidArgumentError("CreateGraph names no graph."));
  // As TensorFlow's: an empty graph is no graph yet.
  const bool empty = m.proto != nullptr ? m.proto->node_size() == 0 : m.graph->num_nodes() == 0;
  if (empty && !core_->closed() && core_->cannot_begin.ok()) return Done{};
  return change(m);
}

caf::result<Done> SessionBase::extend(const ExtendGraph& m) {
  if (m.proto == nullptr && m.graph == nullptr && m.increment == nullptr)
    return to_error(absl::InvalidArgumentError("ExtendGraph names no graph."));
  return change(m);
}

// --- signatures ---

caf::result<SlotReply> SessionBase::lease(const LeaseRequest& m) {
  auto promise = make_response_promise<SlotReply>();
  lease_then(m, [promise](auto reply) mutable { deliver(promise, std::move(reply)); });
  return promise;
}

void SessionBase::lease_then(const LeaseRequest& m, Leased then) {
  if (core_->closed()) return then(absl::CancelledError("Session has been closed."));
  if (const absl::Status none = core_->check_graph(); !none.ok()) return then(none);
  if (m.alias != nullptr) return then(make_slot_reply(m.alias));
  std::string key = signature_key(m);
  if (auto alias = core_->signatures.find(key, [&] { return m; })) return then(make_slot_reply(alias));
  if (const absl::Status no = core_->check_not_finalized(); !no.ok()) return then(no);
  LeaseRequest sorted = m;
  auto alias = sort_signature(&sorted);
  const std::string sorted_key = signature_key(sorted);
  std::vector<Waiter>& waiters = pending_[sorted_key];
  waiters.push_back({alias, std::move(then)});
  if (waiters.size() > 1) return;
  core_->signatures.count_miss();
  compile(sorted, sorted_key);
}

void SessionBase::compiled(const CompileDone& m) {
  auto it = pending_.find(m.key);
  if (it == pending_.end()) return;
  std::vector<Waiter> waiters = std::move(it->second);
  pending_.erase(it);
  if (pending_.empty()) pending_ = {};
  if (!m.result->ok()) {
    for (Waiter& w : waiters) w.then(m.result->status());
    return;
  }
  const size_t bound = static_cast<size_t>(std::max(1, core_->options->max_signatures));
  core_->free_later(core_->signatures.add(m.key, **m.result, bound));
  for (Waiter& w : waiters) {
    w.alias->signature = **m.result;
    w.then(make_slot_reply(w.alias));
  }
}

absl::StatusOr<SlotReply> SessionBase::make_slot_reply(const std::shared_ptr<const SignatureAlias>& alias) {
  if (core_->closed()) return absl::CancelledError("Session has been closed.");
  std::shared_ptr<StepSlot> slot = alias->signature->slots.take();
  if (slot == nullptr) {
    slot = make_slot(alias->signature->code, core_, core_->pools[0].get());
    core_->add_slot(slot);
  }
  return SlotReply{std::make_shared<StepLease>(std::move(slot), alias)};
}

// --- runs by message ---

caf::result<RunReply> SessionBase::run(const RunRequest& m) {
  LeaseRequest want = signature_of(m.feeds, m.fetches, m.targets);
  want.watches = m.options.debug.watches;
  return answer_at_end(want, values_of(m.feeds), m.options, want);
}

caf::result<RunReply> SessionBase::run_callable(const RunCallable& m) {
  if (core_->closed()) return to_error(absl::CancelledError("Session has been closed."));
  auto callable = core_->callable(m.handle);
  if (!callable.ok()) return to_error(callable.status());
  if (auto s = check_callable(**callable, m.feeds.size()); !s.ok()) return to_error(s);
  LeaseRequest want;
  want.alias = (*callable)->alias;
  return answer_at_end(want, m.feeds, (*callable)->run_options, (*callable)->signature);
}

caf::result<RunReply> SessionBase::answer_at_end(const LeaseRequest& want, std::vector<Tensor> feeds,
                                                 const RunOptions& options, const LeaseRequest& names) {
  // Who waits for no answer may be gone before the end. The promise takes the sender with it.
  const auto client = current_mailbox_element()->mid.is_request() ? current_sender() : nullptr;
  auto promise = make_response_promise<RunReply>();
  const auto run = runs_.answer_at_end(core_, want, std::move(feeds), options, client, promise);
  if (options.output_partition_graphs) run->names = names;
  if (run->enter(RunGate::kActorStripe).ok()) start_run(run);
  return promise;
}

caf::result<RunBegun> SessionBase::begin(const BeginRun& m) {
  if (m.client == nullptr) return to_error(absl::InvalidArgumentError("BeginRun names no client."));
  LeaseRequest want = signature_of(m.run.feeds, m.run.fetches, m.run.targets);
  want.watches = m.run.options.debug.watches;
  int64_t number = 0;
  const auto run = runs_.tell_at_end(core_, want, values_of(m.run.feeds), m.run.options, m.client, &number);
  if (m.run.options.output_partition_graphs) run->names = want;
  if (const absl::Status in = run->enter(RunGate::kActorStripe); !in.ok()) {
    runs_.forget(number);
    return to_error(in);
  }
  auto promise = make_response_promise<RunBegun>();
  lease_then(want, [this, run, number, promise](absl::StatusOr<SlotReply> leased) mutable {
    if (!leased.ok()) {
      core_->meter->refused(leased.status());
      runs_.forget(number);
      run->fail(leased.status());
      promise.deliver(to_error(leased.status()));
      return;
    }
    if (!run->start(std::move(*leased->lease))) return runs_.answer_when_begun(number, promise);
    promise.deliver(RunBegun{number, *run->step_id()});
  });
  return promise;
}

void SessionBase::start_run(const std::shared_ptr<OutstandingRun>& run) {
  lease_then(run->want(), [core = core_, run](absl::StatusOr<SlotReply> leased) {
    if (!leased.ok()) {
      core->meter->refused(leased.status());
      return run->fail(leased.status());
    }
    run->start(std::move(*leased->lease));
  });
}

// --- callables and partial runs ---

caf::result<CallableReply> SessionBase::make_callable(const MakeCallable& m) {
  if (m.proto.empty()) return prepare_callable(m.options);
  const auto options = CallableOptions::from_bytes(m.proto);
  if (!options.ok()) return to_error(options.status());
  return prepare_callable(*options);
}

PartialRuns& SessionBase::partial_runs() {
  if (partial_runs_ == nullptr) partial_runs_ = make_partial_runs();
  return *partial_runs_;
}

caf::result<RunReply> SessionBase::take_turn(const PartialRunRequest& m) {
  if (core_->closed()) return to_error(absl::CancelledError("Session has been closed."));
  return partial_runs().take_turn(m);
}

// --- reports ---

caf::result<PartitionGraphs> SessionBase::partition_graphs(const PartitionGraphsRequest& m) {
  auto promise = make_response_promise<PartitionGraphs>();
  describe(m.signature, [promise](auto graphs) mutable { deliver(promise, std::move(graphs)); });
  return promise;
}

caf::result<InspectReply> SessionBase::inspect() {
  auto promise = make_response_promise<InspectReply>();
  inspections_.begin(*core_, promise);
  return promise;
}

// --- control ---

caf::result<CancelReply> SessionBase::cancel(const CancelRequest& m) {
  const absl::Status reason = cancelled_by_caller(m.reason);
  if (m.step_id != 0) {
    int steps = broadcast_cancel(m.step_id, reason);
    if (steps > 0) return CancelReply{steps};
    return to_error(absl::NotFoundError(absl::StrCat("step ", m.step_id, " is not running")));
  }
  // Runs that have no slot yet count: they cancel themselves once they have one.
  core_->note_cancel(reason);
  int steps = static_cast<int>(core_->gate.running());
  broadcast_cancel(0, reason);
  return CancelReply{steps};
}

bool SessionBase::cancel_step(StepSlot& slot, int64_t step_id, const absl::Status& reason) {
  const int64_t id = slot.life.cancel(step_id, reason);
  if (id != 0) send<caf::message_priority::high>(slot.step, CancelStep{id});
  return id != 0;
}

int SessionBase::broadcast_cancel(int64_t step_id, const absl::Status& reason) {
  int steps = 0;
  for (const auto& weak : core_->slots()) {
    auto slot = weak.lock();
    if (slot == nullptr) continue;
    steps += cancel_step(*slot, step_id, reason);
  }
  if (partial_runs_) partial_runs_->cancel(step_id, reason);
  return steps;
}

void SessionBase::shut_runs(const std::string& why) {
  core_->gate.shut();
  const absl::Status closed = absl::CancelledError("Session has been closed.");
  core_->closing.cancel(closed);
  broadcast_cancel(0, absl::CancelledError(why));
  for (auto& [key, waiters] : std::exchange(pending_, {})) {
    for (Waiter& w : waiters) w.then(closed);
  }
}

void SessionBase::end_runs(const absl::Status& status) {
  runs_.fail(status);
  inspections_.fail(status);
  core_->release_callables();
  if (partial_runs_) partial_runs_->end_all(status);
  core_->signatures.clear();
  core_->functions->stop();
}

void SessionBase::check_deadlines() {
  const auto next = deadlines_.check(*core_, [this](StepSlot& slot, int64_t id) {
    cancel_step(slot, id, absl::DeadlineExceededError("Timed out waiting for notification"));
  });
  if (next) delayed_send(this, *next - core_->now(), CheckDeadlines{});
}

}  // namespace troupe
