#include "actors/step_slot.h"

#include <caf/all.hpp>

#include <time.h>

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/executor_actor.h"
#include "actors/function_runner.h"
#include "actors/rendezvous_actor.h"
#include "actors/session_core.h"
#include "actors/step_actor.h"

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

StepSlot::StepSlot(std::shared_ptr<const SignatureCode> c, std::shared_ptr<SessionCore> s,
                   caf::actor_system* system, NamedPool* p)
    : code(std::move(c)), session(std::move(s)), unit(std::make_shared<LentThread>(system, p)), pool(p) {
  session->live_slots->fetch_add(1, std::memory_order_acq_rel);
  const int64_t now = session->slots_now.fetch_add(1, std::memory_order_relaxed) + 1;
  int64_t most = session->slots_most.load(std::memory_order_relaxed);
  while (most < now && !session->slots_most.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

StepSlot::~StepSlot() {
  session->slots_now.fetch_sub(1, std::memory_order_relaxed);
  session->live_slots->fetch_sub(1, std::memory_order_acq_rel);
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
  static_cast<SlotCalls*>(functions.get())->clear_containers();
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
      start_messages[0]->send(caf::actor_cast<caf::abstract_actor*>(executors[0]), unit.get());
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

std::shared_ptr<StepSlot> make_slot(std::shared_ptr<const SignatureCode> code,
                                    std::shared_ptr<SessionCore> session, NamedPool* pool) {
  caf::actor_system& system = *session->system;
  auto slot = std::make_shared<StepSlot>(code, session, &system, pool);
  slot->container = absl::StrCat("__per_step_", session->gate.new_step_id(RunGate::kActorStripe));
  slot->args.resize(code->feeds.size());
  slot->retvals.resize(code->fetches.size());
  if (code->has_transfers) {
    slot->rendezvous = spawn_rendezvous(system, slot);
    slot->rendezvous_face = make_rendezvous_face(slot->rendezvous);
  }
  slot->functions = std::make_shared<SlotCalls>(slot.get());
  slot->can_run_directly = code->partitions.size() == 1 && !code->has_transfers;
  slot->step = spawn_step(system, slot);
  for (size_t i = 0; i < code->partitions.size(); ++i) {
    const auto& partition = code->partitions[i];
    auto state = std::make_unique<StepState>();
    state->device = partition->device();
    state->cancellation = &slot->token;
    state->rendezvous = slot->rendezvous_face.get();
    state->session_tensors = &session->tensors;
    state->functions = slot->functions.get();
    state->step_container = slot->container;
    slot->step_states.push_back(std::move(state));
    slot->devices.push_back(session->device_actor(partition->device()));
    slot->start_messages.push_back(std::make_unique<ReusableMessage<StartExecutor>>());
    slot->drain_messages.push_back(std::make_unique<ReusableMessage<DrainKernels>>());
    slot->done_messages.push_back(
        std::make_unique<ReusableMessage<ExecutorDone>>(ExecutorDone{static_cast<int>(i)}));
    slot->executors.push_back(spawn_executor(system, slot, static_cast<int>(i)));
  }
  // A first message, so that STEP begins to watch its children before the first run: a direct run sends it none.
  caf::anon_send(slot->step, CancelStep{0});
  return slot;
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

std::shared_ptr<StepSlot> Signature::acquire() {
  static thread_local unsigned start =
      static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id()));
  for (int i = 0; i < kIdle; ++i) {
    auto& cell = idle_[(start + static_cast<unsigned>(i)) % kIdle];
    if (cell.load(std::memory_order_relaxed) == nullptr) continue;
    if (auto* held = cell.exchange(nullptr, std::memory_order_acq_rel)) {
      std::shared_ptr<StepSlot> slot = *held;
      slot->unit->parked = held;
      if (!slot->life.broken() && !slot->lost_device()) return slot;
      discard_slot(slot);
    }
  }
  return nullptr;
}

bool Signature::release(std::shared_ptr<StepSlot> slot) {
  static thread_local unsigned start =
      static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id()));
  // The heap cell that holds the reference goes with the slot, so that leasing does not allocate.
  auto* held = static_cast<std::shared_ptr<StepSlot>*>(std::exchange(slot->unit->parked, nullptr));
  if (held == nullptr) held = new std::shared_ptr<StepSlot>(std::move(slot));
  for (int i = 0; i < kIdle; ++i) {
    auto& cell = idle_[(start + static_cast<unsigned>(i)) % kIdle];
    std::shared_ptr<StepSlot>* expected = nullptr;
    if (!cell.compare_exchange_strong(expected, held, std::memory_order_acq_rel)) continue;
    // Who drains sets the flag first and looks second; here it is the other way round, so that one of both sees it.
    if (drained_.load(std::memory_order_seq_cst)) {
      for (const auto& late : take_all()) stop_slot(late);
    }
    return true;
  }
  delete held;
  return false;
}

std::vector<std::shared_ptr<StepSlot>> Signature::drain() {
  drained_.store(true, std::memory_order_seq_cst);
  return take_all();
}

std::vector<std::shared_ptr<StepSlot>> Signature::take_all() {
  std::vector<std::shared_ptr<StepSlot>> out;
  for (auto& cell : idle_) {
    if (auto* held = cell.exchange(nullptr, std::memory_order_acq_rel)) {
      out.push_back(std::move(*held));
      delete held;
    }
  }
  return out;
}

}  // namespace troupe
