#include "actors/step_slot.h"

#include <caf/all.hpp>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/end_after_turn.h"

namespace troupe {

StepSlot::StepSlot(std::shared_ptr<const SignatureCode> c, std::shared_ptr<SessionCore> s, SlotCounts* counts,
                   caf::actor_system* system, NamedPool* p)
    : session(std::move(s)), code(std::move(c)), unit(std::make_shared<LentThread>(system, p)),
      remote_ends(code->remotes.size()), pool(p), life(this, code->num_parts(), code->runs_directly()),
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

void StepSlot::begin(int64_t id, std::chrono::steady_clock::time_point at,
                     std::chrono::steady_clock::time_point began) {
  finished.store(false, std::memory_order_relaxed);
  deadline.store(at == std::chrono::steady_clock::time_point() ? 0 : at.time_since_epoch().count(),
                 std::memory_order_release);
  unit->tally.begin(collect_stats);
  began_.store(began.time_since_epoch().count(), std::memory_order_relaxed);
  life.prepare(id);
}

void StepSlot::keep_account(std::shared_ptr<StepAllocations> account) {
  allocations = std::move(account);
  for (auto& s : step_states) s->allocations = allocations.get();
}

void StepSlot::end() {
  if (exchange) exchange->close_step(shared_id());
  cluster_step_id = 0;
  for (RemotePart::End& e : remote_ends) e = {};
  // What is left of a broken step must not start anything.
  life.token().end(!life.broken());
  deadline.store(0, std::memory_order_relaxed);
  functions->clear_containers();
  for (auto& s : step_states) {
    if (s->used_step_container.exchange(false)) s->device->resources().clear_container(container);
  }
  // Nor is the rest taken away from its actors, who may be at work: it goes with the slot.
  if (life.broken()) return;
  for (Tensor& t : args) t = Tensor();
  if (allocations != nullptr) [[unlikely]]
    keep_account(nullptr);
  for (auto& origin : origins) origin = nullptr;
  loops = nullptr;
  lent_loops = nullptr;
  if (std::exchange(lent_pool, nullptr) != nullptr) pool = nullptr;
}

const absl::Status& StepSlot::part_status(size_t i) const {
  return i < states.size() ? states[i]->status() : remote_ends[i - states.size()].status;
}

int64_t StepSlot::part_nodes_run(size_t i) const {
  return i < states.size() ? states[i]->nodes_run() : remote_ends[i - states.size()].nodes_run;
}

const std::string& StepSlot::part_name(size_t i) const {
  if (i < code->partitions.size()) return code->partitions[i]->device()->name();
  return code->remotes[i - code->partitions.size()]->task();
}

void StepSlot::signal_finished() {
  // Who lends his thread looks for the end himself, after each turn.
  EndAfterTurn* const turn = unit->is_lent_here() ? nullptr : EndAfterTurn::of(this);
  if (turn != nullptr) return turn->keep(shared_from_this());
  if (when_finished) {
    auto tell = std::exchange(when_finished, nullptr);
    return tell();
  }
  finished.store(true, std::memory_order_release);
  unit->wake();
}

std::chrono::steady_clock::time_point StepSlot::began() const {
  using Clock = std::chrono::steady_clock;
  return Clock::time_point(Clock::duration(began_.load(std::memory_order_relaxed)));
}

bool StepSlot::lost_device() const {
  return std::any_of(devices.begin(), devices.end(), [](const DeviceActor& d) {
    return caf::actor_cast<caf::abstract_actor*>(d)->getf(caf::abstract_actor::is_terminated_flag);
  });
}

// --- what a run does to its actors ---

void StepSlot::start_step(int64_t id) {
  run_message.send(caf::actor_cast<caf::abstract_actor*>(step), unit.get(), {id});
}

void StepSlot::begin_rendezvous(int64_t id) {
  if (!rendezvous) return;
  caf::anon_send(rendezvous, RendezvousBegin{id, shared_id()});
  // After that, since a new step forgets what is there.
  if (exchange) exchange->open_step(shared_id(), rendezvous);
}

void StepSlot::start_executor(size_t index) {
  start_messages[index].send(caf::actor_cast<caf::abstract_actor*>(executors[index]), unit.get());
}

void StepSlot::stop_executor(size_t index, int64_t id, const absl::Status& why) {
  caf::anon_send(executors[index], AbortExecutor{id, why});
}

void StepSlot::stop_rendezvous(int64_t id, const absl::Status& why) {
  if (rendezvous) caf::anon_send(rendezvous, RendezvousAbort{id, why});
}

void StepSlot::drop_kernels() {
  for (const DeviceActor& d : devices) caf::anon_send(d, DropKernels{this});
}

void StepSlot::tell_ended(RunEnd& end, bool all_done) {
  if (life.token().token().cancelled()) describe_cancel(end, all_done);
  signal_finished();
}

void StepSlot::describe_cancel(RunEnd& end, bool all_done) const {
  const absl::Status reason = life.token().token().reason();
  if (end.status.ok() && all_done) end.status = reason;
  // The outermost step says it for all that are nested in it.
  if (outer_step_id != 0) return;
  if (!absl::IsDeadlineExceeded(reason) && !absl::IsCancelled(reason)) return;
  std::vector<std::string> lines;
  int64_t nodes = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    const auto& state = states[i];
    nodes += state->partition().num_nodes();
    if (!all_done && !life.is_done(i)) continue;
    for (const FrontierEntry& e : state->last_frontier()) {
      if (lines.size() < 10) lines.push_back(absl::StrCat(e.node, " (", e.op, "): ", e.waits_for));
    }
  }
  for (const auto& part : code->remotes) nodes += part->num_nodes();
  // Of a step at a master nobody here knows them.
  if (nodes == 0) return;
  std::string text = absl::StrCat(end.status.message(), " [step ", life.id(), ": ", end.nodes_run,
                                  " nodes ran, ", std::max<int64_t>(0, nodes - end.nodes_run), " did not");
  if (!lines.empty()) absl::StrAppend(&text, "; not done: ", absl::StrJoin(lines, "; "));
  end.status = absl::Status(end.status.code(), absl::StrCat(text, "]"));
}

StepReport StepSlot::report_from_outside() {
  StepReport report;
  life.token().while_running([&](int64_t id) {
    report.step_id = id;
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
  });
  return report;
}

void stop_slot(const std::shared_ptr<StepSlot>& slot) {
  caf::anon_send_exit(slot->step, caf::exit_reason::user_shutdown);
  for (const ExecutorActor& e : slot->executors) caf::anon_send_exit(e, caf::exit_reason::user_shutdown);
  if (slot->rendezvous) caf::anon_send_exit(slot->rendezvous, caf::exit_reason::user_shutdown);
  // The cell by which it would be given back: it holds the slot.
  delete static_cast<std::shared_ptr<StepSlot>*>(std::exchange(slot->unit->parked, nullptr));
}

}  // namespace troupe
