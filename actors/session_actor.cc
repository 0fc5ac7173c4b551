#include "actors/session_actor.h"

#include <caf/all.hpp>

#include <algorithm>
#include <deque>
#include <set>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/function_cache.h"
#include "actors/make_slot.h"
#include "actors/message_run.h"
#include "actors/partial_run_actor.h"
#include "actors/run_metadata.h"
#include "actors/session_graph.h"
#include "actors/signature_compiler.h"
#include "actors/signature_key.h"
#include "proto/graph.pb.h"

namespace troupe {

namespace {

/// How long inspect waits for a STEP whose thread may be inside a kernel.
constexpr std::chrono::milliseconds kInspectPatience{50};
/// How many calls of functions the report of one step looks into.
constexpr size_t kNestedReports = 32;

class SessionImpl final : public SessionActor::base {
 public:
  SessionImpl(caf::actor_config& config, std::shared_ptr<SessionCore> core)
      : SessionActor::base(config), core_(std::move(core)) {}

  const char* name() const override { return "session"; }

  void on_exit() override {
    shut("the session's actor has ended");
    answer_all(absl::CancelledError("the session's actor has ended"));
    core_->release_callables();
    for (const auto& [handle, actor] : partial_runs_) send_exit(actor, caf::exit_reason::user_shutdown);
    partial_runs_.clear();
    core_->signatures.clear();
    core_->functions->stop();
    free_later(graph_.finish({}));
    // It refers to this actor, and would keep it for ever.
    core_ = nullptr;
  }

  behavior_type make_behavior() override {
    return {
        [this](const CreateGraph& m) { return create(m); },
        [this](const ExtendGraph& m) { return change_graph(m); },
        [this](const RunRequest& m) -> caf::result<RunReply> { return run(m); },
        [this](const MakeCallable& m) -> caf::result<CallableReply> { return make_callable(m); },
        [this](const RunCallable& m) -> caf::result<RunReply> { return run_callable(m); },
        [this](ReleaseCallable m) { return answer(core_->release_callable(m.handle)); },
        [this](const PartialRunSetup& m) { return setup_partial_run(m); },
        [this](const PartialRunRequest& m) -> caf::result<RunReply> { return partial_run(m); },
        [this](const CancelRequest& m) -> caf::result<CancelReply> { return cancel(m); },
        [this](InspectRequest) -> caf::result<InspectReply> { return inspect(); },
        [this](ListDevicesRequest) -> caf::result<ListDevicesReply> { return list_devices(); },
        [this](const ClearContainers& m) {
          core_->clear_containers(m.containers);
          return caf::result<Done>(Done{});
        },
        [this](CloseRequest) {
          shut("Session has been closed.");
          return caf::result<Done>(Done{});
        },
        [this](const LeaseRequest& m) -> caf::result<SlotReply> { return lease(m); },
        [this](const CompileDone& m) { compiled(m); },
        [this](const GraphChanged& m) { graph_changed(m); },
        [this](const PartitionsDescribed& m) { partitions_described(m); },
        [this](CheckDeadlines) { check_deadlines(); },
        [this](const PartialRunEnded& m) { forget_partial_run(m.handle); },
        [this](const RunEnded& m) { run_ended(m.run); },
        [this](const PartitionGraphsRequest& m) { return partition_graphs(m); },
    };
  }

 private:
  static caf::result<Done> answer(const absl::Status& status) {
    if (status.ok()) return Done{};
    return to_error(status);
  }

  /// Lets go of it on the compile pool: freeing a large graph takes a while.
  template <class T>
  void free_later(T garbage) {
    core_->compilers->run([garbage = std::make_shared<T>(std::move(garbage))] {});
  }

  // --- the graph ---

  struct Change {
    std::variant<CreateGraph, ExtendGraph> what;
    caf::typed_response_promise<Done> promise;
  };

  caf::result<Done> create(const CreateGraph& m) {
    if (core_->closed()) return to_error(absl::CancelledError("Session has been closed."));
    // As TensorFlow's: an empty graph is no graph yet.
    if (m.proto != nullptr ? m.proto->node_size() == 0 : m.graph->num_nodes() == 0) return Done{};
    return change_graph(m);
  }

  /// One after the other, on the compile pool.
  template <class What>
  caf::result<Done> change_graph(const What& what) {
    if (core_->closed()) return to_error(absl::CancelledError("Session has been closed."));
    auto promise = make_response_promise<Done>();
    changes_.push_back({what, promise});
    if (!changing_) begin_change();
    return promise;
  }

  /// The first change that is not refused at once.
  void begin_change() {
    while (!changes_.empty() && !changing_) {
      auto labour =
          std::visit([&](const auto& what) { return graph_.begin(*core_, what); }, changes_.front().what);
      if (!labour.ok()) {
        changes_.front().promise.deliver(to_error(labour.status()));
        changes_.pop_front();
        continue;
      }
      // What the client lent is his again as soon as the labour is done.
      changes_.front().what = CreateGraph{};
      changing_ = true;
      core_->compilers->run([core = core_, labour = *std::move(labour), me = SessionActor(this)]() mutable {
        auto result = std::make_shared<absl::StatusOr<GraphChange>>(labour_of(*core, labour));
        labour = nullptr;
        caf::anon_send(me, GraphChanged{std::move(result)});
      });
    }
  }

  static absl::StatusOr<GraphChange> labour_of(const SessionCore& core, const SessionGraph::Labour& labour) {
    if (core.closing.cancelled()) return core.closing.reason();
    try {
      return labour();
    } catch (const std::exception& e) {
      return absl::ResourceExhaustedError(absl::StrCat("the graph could not be made: ", e.what()));
    }
  }

  void graph_changed(const GraphChanged& m) {
    changing_ = false;
    const absl::Status status = m.result->status();
    if (status.ok()) {
      free_later(graph_.finish(std::move(**m.result)));
      core_->has_graph = true;
    }
    if (!changes_.empty()) {
      caf::typed_response_promise<Done> promise = std::move(changes_.front().promise);
      changes_.pop_front();
      if (status.ok()) {
        promise.deliver(Done{});
      } else {
        promise.deliver(to_error(status));
      }
    }
    run_waiting();
    begin_change();
  }

  /// Calls `f` when no change of the graph is under way: what looks at the graph, or keeps it, may go on. `f` finds
  /// out itself whether the session is closed.
  void when_unchanging(std::function<void()> f) {
    if (!changing_ || core_->closed()) return f();
    waiting_.push_back(std::move(f));
  }

  void run_waiting() {
    for (auto& f : std::exchange(waiting_, {})) f();
  }

  // --- signatures ---

  /// Called once, in a turn of this actor, or when it ends.
  using Leased = std::function<void(absl::StatusOr<SlotReply>)>;

  caf::result<SlotReply> lease(const LeaseRequest& m) {
    auto promise = make_response_promise<SlotReply>();
    lease_then(m, [promise](absl::StatusOr<SlotReply> reply) mutable {
      if (reply.ok()) {
        promise.deliver(*std::move(reply));
      } else {
        promise.deliver(to_error(reply.status()));
      }
    });
    return promise;
  }

  /// A slot: at once when the signature is known, else when it is compiled.
  void lease_then(const LeaseRequest& m, Leased then) {
    if (core_->closed()) return then(absl::CancelledError("Session has been closed."));
    if (!core_->has_graph) {
      return then(absl::InvalidArgumentError("Session was not created with a graph before Run()!"));
    }
    if (m.alias != nullptr) return then(make_slot_reply(m.alias));
    std::string key = signature_key(m);
    if (auto alias = core_->signatures.find(key, [&] { return m; })) return then(make_slot_reply(alias));
    LeaseRequest sorted = m;
    auto alias = sort_signature(&sorted);
    std::string sorted_key = signature_key(sorted);
    Pending& pending = pending_[sorted_key];
    pending.waiters.push_back({alias, std::move(then)});
    if (pending.waiters.size() > 1) return;
    core_->signatures.count_miss();
    when_unchanging([this, sorted = std::move(sorted), sorted_key] {
      // Closing has answered whoever waited.
      if (!core_->closed()) compile_signature(core_, graph_.placed(), sorted, sorted_key, this);
    });
  }

  void compiled(const CompileDone& m) {
    auto it = pending_.find(m.key);
    if (it == pending_.end()) return;
    std::vector<Waiter> waiters = std::move(it->second.waiters);
    pending_.erase(it);
    if (!m.result->ok()) {
      for (Waiter& w : waiters) w.then(m.result->status());
      return;
    }
    const size_t bound = static_cast<size_t>(std::max(1, core_->options.max_signatures));
    free_later(core_->signatures.add(m.key, **m.result, bound));
    for (Waiter& w : waiters) {
      w.alias->signature = **m.result;
      w.then(make_slot_reply(w.alias));
    }
  }

  absl::StatusOr<SlotReply> make_slot_reply(const std::shared_ptr<const SignatureAlias>& alias) {
    if (core_->closed()) return absl::CancelledError("Session has been closed.");
    std::shared_ptr<StepSlot> slot = alias->signature->acquire();
    if (slot == nullptr) {
      slot = make_slot(alias->signature->code, core_, core_->pools[0].get());
      core_->add_slot(slot);
    }
    return SlotReply{std::make_shared<StepLease>(std::move(slot), alias)};
  }

  // --- runs by message ---

  caf::result<RunReply> run(const RunRequest& m) {
    LeaseRequest want;
    std::vector<Tensor> feeds;
    for (const auto& [name, value] : m.feeds) {
      want.feeds.push_back(name);
      feeds.push_back(value);
    }
    want.fetches = m.fetches;
    want.targets = m.targets;
    return begin_run(want, std::move(feeds), m.options, want);
  }

  caf::result<RunReply> run_callable(const RunCallable& m) {
    if (core_->closed()) return to_error(absl::CancelledError("Session has been closed."));
    auto callable = core_->callable(m.handle);
    if (!callable.ok()) return to_error(callable.status());
    if (auto s = check_callable(**callable, m.feeds.size()); !s.ok()) return to_error(s);
    LeaseRequest want;
    want.alias = (*callable)->alias;
    return begin_run(want, m.feeds, (*callable)->run_options, (*callable)->signature);
  }

  /// `names`: what the run's partition graphs are planned from.
  caf::result<RunReply> begin_run(const LeaseRequest& want, std::vector<Tensor> feeds,
                                  const RunOptions& options, const LeaseRequest& names) {
    const int64_t cancels = core_->cancels();
    if (auto s = core_->enter(); !s.ok()) return to_error(s);
    core_->gate.count_run(RunGate::kActorStripe);
    auto promise = make_response_promise<RunReply>();
    auto run = std::make_shared<MessageRun>(core_, cancels, std::move(feeds), options, promise);
    if (options.output_partition_graphs) run->names = names;
    lease_then(want, [this, run](absl::StatusOr<SlotReply> leased) {
      if (!leased.ok()) return run->fail(leased.status());
      runs_.insert(run);
      run->start(std::move(*leased->lease), this);
    });
    return promise;
  }

  void run_ended(const std::shared_ptr<MessageRun>& run) {
    if (run->conclude()) {
      if (auto again = make_slot_reply(run->alias()); again.ok())
        return run->start(std::move(*again->lease), this);
    }
    if (!run->status().ok() || !run->options().output_partition_graphs) {
      runs_.erase(run);
      return run->status().ok() ? run->succeed() : run->fail(run->status());
    }
    describe(run->names, [this, run](absl::StatusOr<PartitionGraphs> graphs) {
      runs_.erase(run);
      if (!graphs.ok()) return run->fail(graphs.status());
      add_partition_graphs(graphs->graphs, &run->reply().stats.metadata);
      run->succeed();
    });
  }

  // --- callables ---

  caf::result<CallableReply> make_callable(const MakeCallable& m) {
    LeaseRequest want;
    want.feeds = m.options.feeds;
    want.fetches = m.options.fetches;
    want.targets = m.options.targets;
    want.connections = m.options.tensor_connections;
    auto promise = make_response_promise<CallableReply>();
    lease_then(want, [core = core_, want, promise,
                      options = m.options.run_options](absl::StatusOr<SlotReply> reply) mutable {
      if (!reply.ok()) {
        promise.deliver(to_error(reply.status()));
        return;
      }
      auto callable = std::make_shared<CallableCode>(reply->lease->kept_alias(), std::move(want), options);
      reply->lease->give_back();
      promise.deliver(CallableReply{core->add_callable(std::move(callable))});
    });
    return promise;
  }

  // --- partial runs ---

  caf::result<std::string, PartialRunActor> setup_partial_run(const PartialRunSetup& m) {
    const int64_t cancels = core_->cancels();
    if (auto s = core_->enter(); !s.ok()) return to_error(s);
    LeaseRequest want{m.feeds, m.fetches, m.targets, true};
    auto promise = make_response_promise<std::string, PartialRunActor>();
    lease_then(want, [this, m, cancels, promise](absl::StatusOr<SlotReply> reply) mutable {
      if (!reply.ok()) {
        core_->leave();
        promise.deliver(to_error(reply.status()));
        return;
      }
      when_unchanging([this, m, cancels, promise, leased = *std::move(reply)]() mutable {
        start_partial_run(leased.lease, m, cancels, promise);
      });
    });
    return promise;
  }

  void start_partial_run(const std::shared_ptr<StepLease>& lease, const PartialRunSetup& m, int64_t cancels,
                         caf::typed_response_promise<std::string, PartialRunActor>& promise) {
    if (core_->closed()) {
      lease->give_back();
      core_->leave();
      promise.deliver(to_error(absl::CancelledError("Session has been closed.")));
      return;
    }
    std::string handle = partial_run_name(m, next_partial_run_++);
    PartialRunActor actor =
        spawn_partial_run(system(), {core_, std::move(*lease), graph_.get(), m.feeds, m.fetches, handle,
                                     cancels, m.lease.value_or(core_->options.partial_run_lease)});
    partial_runs_[handle] = actor;
    send(actor, StartPartialRun{});
    promise.deliver(std::move(handle), std::move(actor));
  }

  caf::result<RunReply> partial_run(const PartialRunRequest& m) {
    if (core_->closed()) return to_error(absl::CancelledError("Session has been closed."));
    auto it = partial_runs_.find(m.handle);
    if (it == partial_runs_.end()) {
      return to_error(absl::InvalidArgumentError("Must run 'setup' before performing partial runs!"));
    }
    return delegate(it->second, PartialRunTurn{m.feeds, m.fetches});
  }

  /// What was sent to it before this is answered first.
  void forget_partial_run(const std::string& handle) {
    auto it = partial_runs_.find(handle);
    if (it == partial_runs_.end()) return;
    send_exit(it->second, caf::exit_reason::user_shutdown);
    partial_runs_.erase(it);
  }

  // --- reports ---

  using Described = std::function<void(absl::StatusOr<PartitionGraphs>)>;

  /// What the partitions of a signature are, planned anew: they are not kept as graphs.
  void describe(const LeaseRequest& signature, Described then) {
    if (core_->closed()) return then(absl::CancelledError("Session has been closed."));
    if (!core_->has_graph) return then(absl::InvalidArgumentError("the session has no graph"));
    if (core_->options.disable_output_partition_graphs) {
      return then(
          absl::InvalidArgumentError("RunOptions.output_partition_graphs is not supported when "
                                     "disable_output_partition_graphs is true."));
    }
    const int64_t number = next_report_++;
    reports_[number] = std::move(then);
    when_unchanging([this, number, signature] {
      if (!core_->closed()) describe_partitions(core_, graph_.placed(), signature, number, this);
    });
  }

  void partitions_described(const PartitionsDescribed& m) {
    auto report = reports_.extract(m.number);
    if (!report.empty()) report.mapped()(std::move(*m.result));
  }

  caf::result<PartitionGraphs> partition_graphs(const PartitionGraphsRequest& m) {
    auto promise = make_response_promise<PartitionGraphs>();
    describe(m.signature, [promise](absl::StatusOr<PartitionGraphs> graphs) mutable {
      if (graphs.ok()) {
        promise.deliver(*std::move(graphs));
      } else {
        promise.deliver(to_error(graphs.status()));
      }
    });
    return promise;
  }

  // --- control ---

  caf::result<CancelReply> cancel(const CancelRequest& m) {
    std::string why =
        m.reason.empty() ? "Run call was cancelled" : absl::StrCat("Run call was cancelled: ", m.reason);
    const absl::Status reason = absl::CancelledError(why);
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

  int broadcast_cancel(int64_t step_id, const absl::Status& reason) {
    int steps = 0;
    for (const auto& weak : core_->slots()) {
      auto slot = weak.lock();
      if (slot == nullptr) continue;
      int64_t id = slot->cancel(step_id, reason);
      if (id == 0) continue;
      ++steps;
      send<caf::message_priority::high>(slot->step, CancelStep{id});
    }
    for (const auto& [handle, actor] : partial_runs_) {
      send<caf::message_priority::high>(actor, CancelPartialRun{step_id, reason});
    }
    return steps;
  }

  /// Asks the STEP of every slot, and those of the functions that it has called.
  caf::result<InspectReply> inspect() {
    std::vector<std::shared_ptr<StepSlot>> live;
    for (const auto& weak : core_->slots()) {
      if (auto slot = weak.lock()) live.push_back(std::move(slot));
    }
    if (live.empty()) return InspectReply{};
    const int64_t id = next_inspection_++;
    Inspection& inspection = inspections_[id];
    auto promise = inspection.promise = make_response_promise<InspectReply>();
    for (const auto& slot : live) ask_step(id, slot, 0);
    return promise;
  }

  /// `root`: the step in which it is nested, or 0. What it says is added to that step's report.
  void ask_step(int64_t inspection, const std::shared_ptr<StepSlot>& slot, int64_t root) {
    ++inspections_[inspection].left;
    request(slot->step, kInspectPatience, InspectStep{})
        .then([this, inspection, slot,
               root](const InspectStepReply& r) { note_step(inspection, slot, root, r.report); },
              [this, inspection, slot, root](caf::error&) {
                // Its thread is inside a kernel: say which from outside.
                note_step(inspection, slot, root, slot->report_from_outside());
              });
  }

  void note_step(int64_t id, const std::shared_ptr<StepSlot>& slot, int64_t root, const StepReport& report) {
    Inspection& inspection = inspections_[id];
    if (root != 0) {
      for (StepReport& r : inspection.reply.steps) {
        if (r.step_id == root)
          r.frontier.insert(r.frontier.end(), report.frontier.begin(), report.frontier.end());
      }
    } else if (report.step_id != 0) {
      inspection.reply.steps.push_back(report);
      for (const auto& nested : slot->functions->running(kNestedReports)) {
        ask_step(id, nested, report.step_id);
      }
    }
    if (--inspection.left > 0) return;
    auto promise = std::move(inspection.promise);
    auto reply = std::move(inspection.reply);
    inspections_.erase(id);
    promise.deliver(std::move(reply));
  }

  caf::result<ListDevicesReply> list_devices() { return ListDevicesReply{core_->device_infos()}; }

  /// The gate first, then the broadcast; idle slots end now, busy ones when their run is over.
  void shut(const std::string& why) {
    core_->gate.shut();
    const absl::Status closed = absl::CancelledError("Session has been closed.");
    core_->closing.cancel(closed);
    broadcast_cancel(0, absl::CancelledError(why));
    for (auto& [key, p] : std::exchange(pending_, {})) {
      for (Waiter& w : p.waiters) w.then(closed);
    }
    for (Change& c : std::exchange(changes_, {})) c.promise.deliver(to_error(closed));
    for (auto& [number, then] : std::exchange(reports_, {})) then(closed);
    run_waiting();
  }

  /// Nobody else will: CAF drops the promises and handlers of an actor that ends without a word. The runs give back their slots
  /// and places when their steps, which are cancelled, have ended.
  void answer_all(const absl::Status& status) {
    for (const auto& run : runs_) run->answer_early(status);
    runs_.clear();
    for (auto& [id, inspection] : inspections_) inspection.promise.deliver(to_error(status));
    inspections_.clear();
  }

  /// Cancels steps past their deadline and sets the clock for the earliest that is left.
  void check_deadlines() {
    core_->armed.store(INT64_MAX, std::memory_order_release);
    int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
    int64_t next = INT64_MAX;
    for (const auto& weak : core_->slots()) {
      auto slot = weak.lock();
      if (slot == nullptr) continue;
      int64_t at = slot->deadline.load(std::memory_order_acquire);
      if (at == 0) continue;
      if (at > now) {
        next = std::min(next, at);
        continue;
      }
      int64_t id = slot->cancel(0, absl::DeadlineExceededError("Timed out waiting for notification"));
      if (id != 0) send<caf::message_priority::high>(slot->step, CancelStep{id});
    }
    if (next == INT64_MAX) return;
    core_->armed.store(next, std::memory_order_release);
    timers_.erase(timers_.begin(), timers_.upper_bound(now));
    if (!timers_.empty() && *timers_.begin() <= next) return;
    timers_.insert(next);
    delayed_send(this, std::chrono::nanoseconds(next - now), CheckDeadlines{});
  }

  struct Waiter {
    std::shared_ptr<SignatureAlias> alias;
    Leased then;
  };
  struct Inspection {
    caf::typed_response_promise<InspectReply> promise;
    InspectReply reply;
    int left = 0;
  };
  struct Pending {
    std::vector<Waiter> waiters;
  };

  std::shared_ptr<SessionCore> core_;
  SessionGraph graph_;
  /// The first is under way when `changing_`.
  std::deque<Change> changes_;
  bool changing_ = false;
  /// What waits for the change.
  std::vector<std::function<void()>> waiting_;
  /// Who waits for partition graphs.
  absl::flat_hash_map<int64_t, Described> reports_;
  int64_t next_report_ = 0;
  /// When a CheckDeadlines will come, of those that the clock has.
  std::set<int64_t> timers_;
  absl::flat_hash_map<std::string, Pending> pending_;
  /// Runs by message whose steps are under way.
  absl::flat_hash_set<std::shared_ptr<MessageRun>> runs_;
  absl::flat_hash_map<int64_t, Inspection> inspections_;
  int64_t next_inspection_ = 0;
  absl::flat_hash_map<std::string, PartialRunActor> partial_runs_;
  int64_t next_partial_run_ = 0;
};

}  // namespace

SessionActor spawn_session(caf::actor_system& system, std::shared_ptr<SessionCore> core) {
  return system.spawn<SessionImpl, caf::hidden>(std::move(core));
}

}  // namespace troupe
