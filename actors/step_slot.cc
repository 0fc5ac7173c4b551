#include "actors/step_slot.h"

#include <caf/all.hpp>

#include <time.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {

namespace {

/// steady_clock, up to 4 ms late, at a fraction of its cost.
std::chrono::steady_clock::time_point coarse_now() {
  timespec t{};
  if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) != 0) return std::chrono::steady_clock::now();
  return std::chrono::steady_clock::time_point(std::chrono::seconds(t.tv_sec) +
                                               std::chrono::nanoseconds(t.tv_nsec));
}

}  // namespace

StepSlot::StepSlot(std::shared_ptr<const SignatureCode> c, std::shared_ptr<SessionCore> s, SlotCounts* counts,
                   caf::actor_system* system, NamedPool* p)
    : session(std::move(s)), code(std::move(c)), unit(std::make_shared<LentThread>(system, p)), pool(p),
      counts_(counts) {
  counts_->of_runtime->fetch_add(1, std::memory_order_acq_rel);
  const int64_t now = counts_->now.fetch_add(1, std::memory_order_relaxed) + 1;
  int64_t most = counts_->most.load(std::memory_order_relaxed);
  while (most < now && !counts_->most.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

StepSlot::~StepSlot() {
  counts_->now.fetch_sub(1, std::memory_order_relaxed);
  counts_->of_runtime->fetch_sub(1, std::memory_order_acq_rel);
}

void StepSlot::begin(int64_t id, std::chrono::steady_clock::time_point at) {
  step_id_.store(id, std::memory_order_relaxed);
  status = absl::OkStatus();
  nodes_run = 0;
  false_start = false;
  finished.store(false, std::memory_order_relaxed);
  deadline.store(at == std::chrono::steady_clock::time_point() ? 0 : at.time_since_epoch().count(),
                 std::memory_order_release);
  began_.store(coarse_now().time_since_epoch().count(), std::memory_order_relaxed);
  // Who cancels or closes marks the session first and looks for running steps second; here it is the other way round.
  running_.store(id, std::memory_order_seq_cst);
}

void StepSlot::end() {
  {
    std::unique_lock lock(mu_);
    running_ = 0;
    tripped_.wait(lock, [this] { return cancelling_ == 0; });
    // What is left of a broken step must not start anything.
    if (token.cancelled() && !life.broken()) token.reset();
  }
  deadline.store(0, std::memory_order_relaxed);
  for (Tensor& t : args) t = Tensor();
  functions->clear_containers();
  for (auto& s : step_states) {
    if (s->used_step_container.exchange(false)) s->device->resources().clear_container(container);
  }
}

int64_t StepSlot::cancel(int64_t id, absl::Status reason) {
  std::unique_lock lock(mu_);
  const int64_t running = running_.load(std::memory_order_seq_cst);
  if (running == 0 || (id != 0 && id != running)) return 0;
  trip(std::move(lock), std::move(reason));
  return running;
}

/// The step that runs now runs until this is through: `end` waits.
void StepSlot::trip(std::unique_lock<std::mutex> held, absl::Status reason) {
  ++cancelling_;
  held.unlock();
  token.cancel(std::move(reason));
  held.lock();
  if (--cancelling_ == 0) tripped_.notify_all();
}

bool StepSlot::lost_device() const {
  return std::any_of(devices.begin(), devices.end(), [](const DeviceActor& d) {
    return caf::actor_cast<caf::abstract_actor*>(d)->getf(caf::abstract_actor::is_terminated_flag);
  });
}

void StepSlot::start() {
  switch (life.begin(can_run_directly)) {
    case RunLife::Start::kDirect:
      start_messages[0].send(caf::actor_cast<caf::abstract_actor*>(executors[0]), unit.get());
      break;
    case RunLife::Start::kByStep:
      run_message.send(caf::actor_cast<caf::abstract_actor*>(step), unit.get());
      break;
    case RunLife::Start::kLost:
      status = absl::InternalError(absl::StrCat("an actor of step ", step_id(), " died before it began"));
      false_start = true;
      signal_finished();
      break;
  }
}

void StepSlot::abandon(absl::Status reason) {
  if (!life.lose_step()) return;
  if (status.ok()) status = reason;
  trip(std::unique_lock(mu_), std::move(reason));
  signal_finished();
}

void StepSlot::signal_finished() {
  if (when_finished) {
    auto tell = std::exchange(when_finished, nullptr);
    return tell();
  }
  finished.store(true, std::memory_order_release);
  unit->wake();
}

void StepSlot::finish_directly() {
  if (!life.claim_end()) return;
  const ExecutorState& state = *states[0];
  nodes_run = state.nodes_run();
  if (!state.status().ok()) status = state.status();
  describe_cancel([](size_t) { return true; }, true);
  signal_finished();
}

void StepSlot::describe_cancel(const std::function<bool(size_t)>& has_ended, bool all_ended) {
  if (!token.cancelled()) return;
  const absl::Status reason = token.reason();
  if (status.ok() && all_ended) status = reason;
  // The outermost step says it for all that are nested in it.
  if (outer_step_id != 0) return;
  if (!absl::IsDeadlineExceeded(reason) && !absl::IsCancelled(reason)) return;
  std::vector<std::string> lines;
  int64_t nodes = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    const auto& state = states[i];
    nodes += state->partition().num_nodes();
    if (!has_ended(i)) continue;
    for (const FrontierEntry& e : state->last_frontier()) {
      if (lines.size() < 10) lines.push_back(absl::StrCat(e.node, " (", e.op, "): ", e.waits_for));
    }
  }
  std::string text = absl::StrCat(status.message(), " [step ", step_id(), ": ", nodes_run, " nodes ran, ",
                                  std::max<int64_t>(0, nodes - nodes_run), " did not");
  if (!lines.empty()) absl::StrAppend(&text, "; not done: ", absl::StrJoin(lines, "; "));
  status = absl::Status(status.code(), absl::StrCat(text, "]"));
}

StepReport StepSlot::report_from_outside() {
  StepReport report;
  std::lock_guard lock(mu_);
  report.step_id = running_;
  if (running_ == 0) return report;
  report.age =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began());
  report.fetches = code->fetches;
  report.targets = code->targets;
  for (const auto& state : states) {
    int node = state->busy_node();
    if (node < 0) continue;
    const KernelNode& info = state->partition().info(node);
    report.frontier.push_back(absl::StrCat(info.name, " (", info.op->name, ") on ",
                                           state->partition().device()->name(), ": running"));
  }
  return report;
}

void stop_slot(const std::shared_ptr<StepSlot>& slot) {
  caf::anon_send_exit(slot->step, caf::exit_reason::user_shutdown);
  for (const ExecutorActor& e : slot->executors) caf::anon_send_exit(e, caf::exit_reason::user_shutdown);
  if (slot->rendezvous) caf::anon_send_exit(slot->rendezvous, caf::exit_reason::user_shutdown);
}

void discard_slot(const std::shared_ptr<StepSlot>& slot) {
  stop_slot(slot);
  // The cell by which it would be released: it holds the slot.
  delete static_cast<std::shared_ptr<StepSlot>*>(std::exchange(slot->unit->parked, nullptr));
}

}  // namespace troupe
