#include "actors/step_lease.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/executor_type.h"
#include "actors/run_metadata.h"

namespace troupe {
namespace {

/// Of feed number `at` of the sorted order.
absl::Status check_feed(const SignatureCode& code, int at, const Tensor& value) {
  if (value.dtype() != code.feed_types[at] && code.feed_types[at] != DataType::kInvalid) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("Expects arg[", at, "] to be ", dtype_name(code.feed_types[at]), " but ",
                     dtype_name(value.dtype()), " is provided (feed '", code.feeds[at], "')"));
  }
  return absl::OkStatus();
}

absl::Status load_feed(StepSlot* slot, int at, const Tensor& value) {
  if (value.dtype() == DataType::kResource) [[unlikely]] {
    TROUPE_ASSIGN_OR_RETURN(slot->args[at], fed_tensor(*slot->session, value));
    return check_feed(*slot->code, at, slot->args[at]);
  }
  TROUPE_RETURN_IF_ERROR(check_feed(*slot->code, at, value));
  slot->args[at] = value;
  return absl::OkStatus();
}

/// Whether the run that begins is one whose costs the session wants; counts it.
bool wants_cost_model(const SessionCore& core, Signature* signature) {
  const int64_t every = core.options.build_cost_model;
  if (every <= 0) [[likely]]
    return false;
  const int64_t run = signature->counted_runs.fetch_add(1, std::memory_order_relaxed);
  const int64_t measured = run - core.options.build_cost_model_after;
  return measured >= 0 && (measured + 1) % every == 0;
}

absl::Status prepare(SessionCore& core, StepSlot* slot, const RunOptions& options, int64_t cancels) {
  TROUPE_ASSIGN_OR_RETURN(NamedPool * pool, core.pool(options.inter_op_pool));
  slot->pool = pool;
  slot->unit->set_pool(pool);
  bool single = slot->code->partitions.size() == 1;
  slot->inline_only = single && (options.inter_op_pool == -1 || core.options.inter_op_threads < 0 ||
                                 core.options.executor_type == kSingleThreadedExecutor);
  slot->collect_stats = options.collect_stats || slot->build_cost_model;
  auto timeout = options.timeout.count() != 0 ? options.timeout : core.options.operation_timeout;
  std::chrono::steady_clock::time_point deadline;
  if (timeout.count() > 0) deadline = std::chrono::steady_clock::now() + timeout;
  slot->begin(core.gate.new_step_id(RunGate::stripe_of_thread()), deadline);
  if (timeout.count() > 0) {
    int64_t at = deadline.time_since_epoch().count();
    if (at < core.armed.load(std::memory_order_acquire)) caf::anon_send(core.actor, CheckDeadlines{});
  }
  // Close shuts the gate and then broadcasts: who passed the gate but was not yet running cancels himself.
  if (core.closed()) slot->cancel(0, absl::CancelledError("Session has been closed."));
  // The same for a cancel of all steps.
  if (core.cancels() != cancels) slot->cancel(0, core.last_cancel());
  return absl::OkStatus();
}

}  // namespace

StepLease& StepLease::operator=(StepLease&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  slot_ = std::move(other.slot_);
  alias_ = other.alias_;
  keep_ = std::move(other.keep_);
  return *this;
}

absl::Status StepLease::load(size_t i, const Tensor& value) {
  absl::Status loaded = load_feed(slot_.get(), alias_->feed_at[i], value);
  if (!loaded.ok()) [[unlikely]]
    slot_->status = loaded;
  return loaded;
}

absl::Status StepLease::begin(const RunOptions& options, int64_t cancels) {
  SessionCore& core = *slot_->session;
  slot_->build_cost_model = !slot_->code->partial && wants_cost_model(core, alias_->signature.get());
  absl::Status ready = prepare(core, slot_.get(), options, cancels);
  if (!ready.ok()) slot_->status = ready;
  return ready;
}

bool StepLease::run(const RunOptions& options, int64_t cancels) {
  if (!begin(options, cancels).ok()) return false;
  slot_->unit->open();
  slot_->start();
  slot_->unit->run_until(slot_->finished);
  slot_->unit->close();
  return slot_->false_start;
}

absl::Status StepLease::take(std::span<Tensor> fetches, RunStats* stats) {
  const std::shared_ptr<StepSlot> slot = std::move(slot_);
  if (stats != nullptr) {
    stats->step_id = slot->step_id();
    stats->nodes_run = slot->nodes_run;
    stats->num_partitions = static_cast<int>(slot->code->partitions.size());
    stats->metadata = slot->collect_stats ? run_metadata(*slot) : std::string();
  }
  absl::Status status = std::move(slot->status);
  slot->status = absl::OkStatus();
  if (status.ok()) keep_session_handles(*slot, slot->code->fetches);
  for (size_t i = 0; i < fetches.size() && status.ok(); ++i) {
    const int at = alias_->fetch_at[i];
    if (slot->retvals[at].initialized()) {
      fetches[i] = slot->retvals[at];
    } else {
      status = absl::InvalidArgumentError(absl::StrCat("Retval[", at, "] does not have value"));
    }
  }
  for (Tensor& t : slot->retvals) t = Tensor();
  slot->end();
  if (slot->life.broken()) {
    discard_slot(slot);
  } else if (!alias_->signature->release(slot)) {
    stop_slot(slot);
  }
  return status;
}

}  // namespace troupe
