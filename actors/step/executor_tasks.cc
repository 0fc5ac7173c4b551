#include <algorithm>
#include <utility>

#include "actors/step/executor_frame.h"
#include "actors/step/serves_turn.h"
#include "devices/lent_runner.h"

// Kernels that run on other threads, or that are done later.

namespace troupe {
namespace {

/// What a kernel that has been cheap may be given where nobody has time for it to be anything else.
constexpr size_t kCheapBytes = size_t{64} << 10;

}  // namespace

void KernelTask::run() {
  if (timed) {
    timing.begin_ns = wall_clock_ns();
    timing.thread = current_thread_id();
  }
  const LentRunner loops(owner->loops_);
  uint64_t begin = cycle_now();
  const CompiledNode& n = owner->partition_->node(node);
  // What is queued is dropped once the step is cancelled.
  if (context->cancellation().cancelled()) {
    status = context->cancellation().reason();
  } else {
    status = guarded(n.kernel, *context);
  }
  cycles = cycle_now() - begin;
  if (timed) timing.end_ns = wall_clock_ns();
}

void KernelTask::run_to_end() {
  run();
  owner->complete(this);
}

void KernelTask::hand_back() {
  handed_back = true;
  owner->complete(this);
}

size_t ExecutorState::input_bytes(const CompiledNode& n, const Ready& r) const {
  const Value* const in = r.iteration->inputs.data() + n.input_begin;
  size_t bytes = 0;
  for (int i = 0; i < n.num_inputs; ++i) bytes += in[i].tensor.bytes();
  return bytes;
}

bool ExecutorState::keep_for_launch(const CompiledNode& n, const Ready& r) {
  if (inline_only_) return false;
  uint32_t cost = partition_->cost(r.node);
  const bool was_cheap = cost != 0 && cost < CompiledPartition::kExpensiveCycles;
  // A thread that has other things to do does not learn how much a large value costs.
  if (was_cheap && !(ServesTurn::active() && input_bytes(n, r) > kCheapBytes)) return false;
  deferred_.push_back(r);
  return true;
}

void ExecutorState::launch_deferred() {
  // One expensive node and nothing else to do: cheaper here than on another thread.
  if (deferred_.size() == 1 && in_flight_ == 0 && !ServesTurn::active()) {
    Ready r = deferred_[0];
    deferred_.clear();
    if (collect_stats_) begin_timing();
    return run_kernel_inline(partition_->node(r.node), r);
  }
  std::vector<KernelTask*> tasks;
  tasks.reserve(deferred_.size());
  for (const Ready& r : deferred_) tasks.push_back(make_task(r));
  deferred_.clear();
  if (collect_stats_) {
    const int64_t now = wall_clock_ns();
    for (KernelTask* t : tasks) t->timing.launched_ns = now;
  }
  in_flight_ += static_cast<int>(tasks.size());
  host_->launch_kernels(std::move(tasks));
}

KernelTask* ExecutorState::make_task(const Ready& r) {
  const CompiledNode& n = partition_->node(r.node);
  if (free_tasks_.empty()) {
    tasks_.push_back(std::make_unique<KernelTask>());
    free_tasks_.push_back(tasks_.back().get());
  }
  KernelTask* t = free_tasks_.back();
  free_tasks_.pop_back();
  t->owner = this;
  t->node = r.node;
  t->iteration = r.iteration;
  t->status = absl::OkStatus();
  t->timed = collect_stats_;
  t->timing = {};
  t->inputs.resize(n.num_inputs);
  t->outputs.resize(n.num_outputs);
  Value* in = r.iteration->inputs.data() + n.input_begin;
  for (int i = 0; i < n.num_inputs; ++i) {
    if (n.is_bound(i)) {
      t->inputs[i] = in[i];
      continue;
    }
    t->inputs[i] = std::move(in[i]);
    in[i].clear();
  }
  t->context.emplace(step_, &partition_->info(r.node), std::span<Value>(t->inputs),
                     std::span<Value>(t->outputs));
  t->context->frame_id = r.iteration->frame->id;
  t->context->iteration = r.iteration->number;
  t->context->is_input_dead = r.dead;
  t->context->unused_outputs = n.unused_outputs;
  if (step_->allocations != nullptr) [[unlikely]]
    track_memory(r.node, &t->timing, &*t->context);
  return t;
}

void ExecutorState::start_async(const Ready& r) {
  KernelTask* t = make_task(r);
  t->asynchronous = true;
  ++in_flight_;
  if (t->timed) {
    t->timing.begin_ns = wall_clock_ns();
    t->timing.thread = current_thread_id();
  }
  const uint32_t round = t->round.load(std::memory_order_relaxed);
  auto done = [t, round](absl::Status s) { t->answer(round, std::move(s)); };
  try {
    static_cast<AsyncKernel*>(partition_->node(r.node).kernel)->compute_async(*t->context, done);
  } catch (...) {
    // It may have answered before, and it may have handed `done` on.
    t->answer(round, thrown_status("a kernel"));
  }
}

void KernelTask::answer(uint32_t in_round, absl::Status s) {
  if (!round.compare_exchange_strong(in_round, in_round + 1, std::memory_order_relaxed)) return;
  status = std::move(s);
  if (timed) timing.end_ns = wall_clock_ns();
  owner->complete(this);
}

void ExecutorState::complete(KernelTask* task) {
  std::shared_ptr<void> last;  // freed outside the lock
  std::lock_guard lock(completed_mu_);
  completed_.push_back(task);
  if (owner_ != nullptr && task->asynchronous && --answers_missing_ == 0) last.swap(owner_);
  if (wake_pending_) return;
  wake_pending_ = true;
  // Under the lock, so that the executor cannot finish and go away between the push and the wake.
  host_->wake();
}

void ExecutorState::abandon(std::shared_ptr<void> owner) {
  auto answers_missing = [](const auto& tasks) {
    return std::count_if(tasks.begin(), tasks.end(), [](const auto& t) { return t->asynchronous; });
  };
  std::lock_guard lock(completed_mu_);
  wake_pending_ = true;
  answers_missing_ = answers_missing(tasks_) - answers_missing(completed_) - answers_missing(draining_);
  if (answers_missing_ > 0) owner_ = std::move(owner);
}

void ExecutorState::drain_completed() {
  if (in_flight_ == 0) return;
  {
    std::lock_guard lock(completed_mu_);
    draining_.swap(completed_);
    wake_pending_ = false;
  }
  for (KernelTask* t : draining_) finish_task(t);
  draining_.clear();
}

void ExecutorState::finish_task(KernelTask* t) {
  if (std::exchange(t->handed_back, false)) t->run();
  --in_flight_;
  t->asynchronous = false;
  const CompiledNode& n = partition_->node(t->node);
  if (n.expensive) partition_->record_cost(t->node, t->cycles);
  absl::Status status = std::move(t->status);
  if (!status.ok()) fail(t->node, status);
  t->inputs.clear();
  if (t->timed) timing_ = std::move(t->timing);
  if (!aborted_) node_done({t->node, false, t->iteration}, n, t->outputs.data(), false);
  t->outputs.clear();
  t->context.reset();
  free_tasks_.push_back(t);
}

}  // namespace troupe
