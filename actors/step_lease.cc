#include "actors/step_lease.h"

#include <caf/all.hpp>

#include <optional>

#include "absl/strings/str_cat.h"
#include "actors/debugger.h"
#include "actors/executor_type.h"
#include "actors/idle_slots.h"
#include "actors/log_memory.h"
#include "actors/run_metadata.h"
#include "devices/device_memory.h"
#include "devices/memory/step_allocations.h"
#include "graph/thrown.h"
#include "devices/cpu/thread_pool_runner.h"

namespace troupe {
namespace {

/// Of feed number `at` of the sorted order.
absl::Status check_feed(const SignatureCode& code, int at, const Tensor& value) {
  if (value.dtype() == code.feed_types[at] || code.feed_types[at] == DataType::kInvalid) [[likely]]
    return absl::OkStatus();
  std::string text = absl::StrCat("Expects arg[", at, "] to be ", dtype_name(code.feed_types[at]), " but ",
                                  dtype_name(value.dtype()), " is provided");
  // The arguments of a function have no names.
  if (!code.feeds[at].empty()) absl::StrAppend(&text, " (feed '", code.feeds[at], "')");
  return absl::InvalidArgumentError(text);
}

/// A value that is not where the step looks for it would be read as something else.
absl::Status check_memory(const SignatureCode& code, int at, const Tensor& value) {
  if (code.device_feeds.empty() || value.num_elements() == 0) [[likely]]
    return absl::OkStatus();
  const bool on_device = in_device_memory(value);
  if (on_device == code.device_feeds[at]) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("The value of feed '", code.feeds[at], "' is in the memory of ",
                   on_device ? "a device, expected the host's" : "the host, expected a device's"));
}

absl::Status load_feed(StepSlot* slot, int at, const Tensor& value) {
  if (value.dtype() == DataType::kResource) [[unlikely]] {
    TROUPE_ASSIGN_OR_RETURN(slot->args[at], fed_tensor(*slot->session, value));
    return check_feed(*slot->code, at, slot->args[at]);
  }
  TROUPE_RETURN_IF_ERROR(check_feed(*slot->code, at, value));
  TROUPE_RETURN_IF_ERROR(check_memory(*slot->code, at, value));
  slot->args[at] = value;
  return absl::OkStatus();
}

/// Of a run that is debugged, before it begins.
absl::Status tell_debugger(const SessionCore& core, const SignatureCode& code, Signature& signature,
                           const DebugOptions& options) {
  DebugMetadata about;
  about.global_step = options.global_step;
  about.session_run_index = core.gate.runs();
  about.executor_step_index = signature.watched_runs.fetch_add(1);
  about.feeds = code.feeds;
  about.fetches = code.fetches;
  about.targets = code.targets;
  return guarded("the debugger", [&] { return core.debugger->begin_run(about, urls_of(options.watches)); });
}

/// What the session wants to know of a run, whether its caller asks or not.
struct Wanted {
  bool costs = false;
  bool statistics = false;
};

/// Of the run that begins; counts it.
Wanted wanted_of(const SessionOptions& options, Signature* signature) {
  const int64_t costs = options.build_cost_model, timelines = options.timeline_step;
  if (costs <= 0 && timelines <= 0) [[likely]]
    return {};
  const int64_t run = signature->counted_runs.fetch_add(1, std::memory_order_relaxed);
  const int64_t measured = run - options.build_cost_model_after;
  return {costs > 0 && measured >= 0 && (measured + 1) % costs == 0,
          timelines > 0 && (run + 1) % timelines == 0};
}

}  // namespace

StepLease& StepLease::operator=(StepLease&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  slot_ = std::move(other.slot_);
  home_ = other.home_;
  alias_ = other.alias_;
  keep_ = std::move(other.keep_);
  begun_ = other.begun_;
  start_ = other.start_;
  return *this;
}

absl::Status StepLease::load(size_t i, const Tensor& value) {
  absl::Status loaded = load_feed(slot_.get(), alias_->feed_at[i], value);
  if (!loaded.ok()) [[unlikely]] {
    slot_->session->meter->refused(loaded);
    slot_->life.refuse(loaded);
  }
  return loaded;
}

absl::Status StepLease::load_arguments(std::vector<Tensor> args) {
  const SignatureCode& code = *slot_->code;
  absl::Status good;
  if (args.size() != slot_->args.size()) {
    good = absl::InvalidArgumentError(
        absl::StrCat("Expects ", slot_->args.size(), " arguments, but ", args.size(), " is provided"));
  }
  for (size_t i = 0; i < args.size() && good.ok(); ++i) {
    good = check_feed(code, static_cast<int>(i), args[i]);
    slot_->args[i] = std::move(args[i]);
  }
  if (!good.ok()) slot_->life.refuse(good);
  return good;
}

absl::Status StepLease::begin(const RunOptions& options, int64_t cancels) {
  SessionCore& core = *slot_->session;
  const SessionOptions& session = *core.options;
  Surroundings around;
  if (const absl::Status chosen = choose_threads(options, &around); !chosen.ok()) {
    core.meter->refused(chosen);
    slot_->life.refuse(chosen);
    return chosen;
  }
  if (!options.debug.watches.empty()) [[unlikely]] {
    if (absl::Status told = tell_debugger(core, *slot_->code, *alias_->signature, options.debug);
        !told.ok()) {
      slot_->life.refuse(told);
      return told;
    }
  }
  const bool single = slot_->code->partitions.size() == 1;
  if (!options.without_meaning.empty()) [[unlikely]]
    core.warn_once(options.without_meaning);
  const Wanted wanted = slot_->code->partial ? Wanted() : wanted_of(session, alias_->signature.get());
  slot_->build_cost_model = wanted.costs;
  around.inline_only = single && (options.inter_op_pool == -1 || session.inter_op_threads < 0 ||
                                  session.executor_type == kSingleThreadedExecutor);
  slot_->reports_stats = options.collect_stats || wanted.costs || wanted.statistics;
  start_ = core.meter->begin(RunGate::stripe_of_thread(), around.began, alias_->signature->to_record);
  around.collect_stats = slot_->reports_stats || start_.traced;
  if (slot_->reports_stats || options.report_tensor_allocations_upon_oom || core.memory_log != nullptr)
      [[unlikely]]
    around.allocations = std::make_shared<StepAllocations>();
  const auto timeout = options.timeout.count() != 0 ? options.timeout : session.operation_timeout;
  if (timeout.count() > 0) around.deadline = core.now() + timeout;
  begin(around);
  begun_ = true;
  if (core.memory_log != nullptr) [[unlikely]] {
    slot_->allocations->log_to(core.memory_log, slot_->life.id());
    log_memory_step(slot_->life.id(), *slot_->code);
  }
  if (core.listeners.any()) [[unlikely]]
    core.listeners.tell(event_of(*slot_, core.id, slot_->life.id()));
  if (timeout.count() > 0) {
    const int64_t at = around.deadline.time_since_epoch().count();
    if (at < core.armed.load(std::memory_order_acquire)) caf::anon_send(core.actor, CheckDeadlines{});
  }
  // Close shuts the gate and then broadcasts: who passed the gate but was not yet running cancels himself.
  if (core.closed()) slot_->life.cancel(0, absl::CancelledError("Session has been closed."));
  // The same for a cancel of all steps.
  if (core.cancels() != cancels) slot_->life.cancel(0, core.last_cancel());
  return absl::OkStatus();
}

absl::Status StepLease::choose_threads(const RunOptions& options, Surroundings* around) {
  SessionCore& core = *slot_->session;
  if (options.intra_op_threads != nullptr) {
    slot_->lent_loops = std::make_unique<ThreadPoolRunner>(options.intra_op_threads);
    around->loops = slot_->lent_loops.get();
  }
  // As TensorFlow's: -1 goes before the caller's threads, and these before any other number.
  if (options.inter_op_threads != nullptr && options.inter_op_pool != -1) {
    around->lent_pool = std::make_shared<NamedPool>(core.system, options.inter_op_threads);
    around->pool = around->lent_pool.get();
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(around->pool, core.pool(options.inter_op_pool));
  if (options.use_run_handler_pool) around->priority = options.priority;
  return absl::OkStatus();
}

void StepLease::begin(const Surroundings& around) {
  StepSlot& slot = *slot_;
  slot.pool = around.pool;
  slot.lent_pool = around.lent_pool;
  slot.priority = around.priority;
  slot.loops = around.loops;
  // Threads that a caller lends run kernels only: they may be gone when his run is, and actors are not.
  slot.unit->set_pool(around.lent_pool != nullptr ? slot.session->pools[0].get() : around.pool);
  // Begun by what came from the network, it is answered there, too. An application's callback is not called on a thread that others wait for, nor is a
  // step taken there that does what is expensive where it is.
  slot.unit->let_turns_be_taken(TurnsHere::active() && !around.inline_only);
  if (around.lender != nullptr) slot.unit->set_lender(around.lender);
  slot.inline_only = around.inline_only;
  slot.collect_stats = around.collect_stats;
  if (around.allocations != nullptr) [[unlikely]]
    slot.keep_account(around.allocations);
  slot.outer_step_id = around.outer_step_id;
  if (!around.step_container.empty()) {
    for (auto& state : slot.step_states) state->step_container = std::string(around.step_container);
  }
  slot.begin(slot.session->gate.new_step_id(RunGate::stripe_of_thread()), around.deadline, around.began);
}

void StepLease::run(const RunOptions& options, int64_t cancels) {
  if (!begin(options, cancels).ok()) return;
  slot_->unit->open();
  slot_->life.start();
  slot_->unit->run_until(slot_->finished, slot_.get());
  slot_->unit->close();
}

void StepLease::report(StepSlot& slot, const absl::Status& status, int64_t nodes_run, RunStats* stats) {
  StepMeter& meter = *slot.session->meter;
  bool traced = false;
  TimedStep step;
  // Who watches does not spoil a run for want of memory.
  (void)guarded("the meter of steps", [&] {
    const StepMeter::Start start = std::exchange(start_, {});
    if (!meter.watched()) return absl::OkStatus();
    step.session_id = slot.session->id;
    step.step_id = slot.life.id();
    step.code = status.code();
    traced = meter.end(
        start, &step,
        {slot.code->fetches, slot.code->targets, nodes_run, slot.began(), alias_->signature->to_record});
    return absl::OkStatus();
  });
  CostModel* const costs = slot.build_cost_model && status.ok() ? &alias_->signature->costs : nullptr;
  if (costs != nullptr) costs->add(slot.states);
  const bool reported = stats != nullptr && slot.reports_stats;
  if (!reported && !traced) return;
  const std::vector<NestedTimings> called = slot.functions->take_timings();
  if (reported) {
    stats->metadata = run_metadata(slot, called, costs);
    stats->messages = message_counts(slot);
  }
  if (!traced) return;
  (void)guarded("the trace of a step", [&] {
    auto trace = std::make_shared<StepTrace>(trace_of(slot, called));
    trace->session_id = step.session_id;
    trace->began_ns = step.began_ns;
    trace->ended_ns = step.began_ns + step.duration_ns;
    trace->status = status;
    meter.deliver(std::move(trace));
    return absl::OkStatus();
  });
}

absl::Status StepLease::take(std::span<Tensor> fetches, RunStats* stats, bool* false_start) {
  const std::shared_ptr<StepSlot> slot = std::move(slot_);
  RunEnd end = slot->life.finish();
  if (false_start != nullptr) *false_start = end.false_start;
  if (stats != nullptr) {
    stats->step_id = slot->life.id();
    stats->nodes_run = end.nodes_run;
    stats->num_partitions = static_cast<int>(slot->code->partitions.size());
    stats->metadata.clear();
    stats->messages.clear();
  }
  absl::Status status = std::move(end.status);
  if (status.ok() && alias_ != nullptr) keep_session_handles(*slot, slot->code->fetches);
  for (size_t i = 0; i < fetches.size() && status.ok(); ++i) {
    const size_t at = alias_ != nullptr ? static_cast<size_t>(alias_->fetch_at[i]) : i;
    fetches[i] = slot->retvals[at];
    if (!fetches[i].initialized())
      status = absl::InvalidArgumentError(absl::StrCat("Retval[", at, "] does not have value"));
  }
  for (Tensor& t : slot->retvals) t = Tensor();
  if (begun_ && (slot->reports_stats || slot->session->meter->wants(start_, status.ok(), slot->began())))
      [[unlikely]]
    report(*slot, status, end.nodes_run, stats);
  StepListeners& listeners = slot->session->listeners;
  std::optional<StepEvent> event;
  if (std::exchange(begun_, false) && listeners.any()) [[unlikely]] {
    event = event_of(*slot, slot->session->id, slot->life.id());
    event->kind = status.ok() ? StepEvent::Kind::kEnded : StepEvent::Kind::kFailed;
    event->status = status;
  }
  slot->end();
  if (event) [[unlikely]]
    listeners.tell(*event);
  if (alias_ == nullptr) slot->unit->set_lender(nullptr);
  home_->give_back(slot);
  slot->session->idle_slots->watch(*slot->session);
  return status;
}

}  // namespace troupe
