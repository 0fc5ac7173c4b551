#include "actors/step/executor_state.h"

#include <algorithm>
#include <unistd.h>

#include <cstring>
#include <new>
#include <unordered_set>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace troupe {

/// One iteration of one dynamic frame: the values that wait at the inputs of its nodes, and how many are missing.
struct IterationState {
  ExecutorState::Frame* frame = nullptr;
  int64_t number = 0;
  std::vector<PendingCounts> counts;
  std::vector<Value> inputs;
  /// Which input of a Merge arrived, by local node number; allocated for frames that have a Merge.
  std::vector<int32_t> merge_input;
  /// Nodes ready or running, and child frames alive.
  int outstanding_ops = 0;
  std::vector<ExecutorState::Frame*> children;
};

/// A frame at run time: one activation of a static frame.
struct ExecutorState::Frame {
  int index = 0;
  uint64_t id = 0;
  Frame* parent = nullptr;
  IterationState* parent_iteration = nullptr;
  int pending_enters = 0;
  /// The newest iteration's number, and how many are alive.
  int64_t last = 0;
  int alive = 0;
  /// Alive iterations, oldest first.
  std::vector<IterationState*> iterations;
  /// Values of constant Enters, for iterations to come.
  std::vector<std::pair<int32_t, Value>> invariants;
  /// Values parked by NextIteration because parallel_iterations are alive.
  std::vector<std::pair<int32_t, Value>> parked;
  std::vector<int32_t> dead_exits;

  IterationState* find(int64_t number) const {
    for (IterationState* i : iterations) {
      if (i->number == number) return i;
    }
    return nullptr;
  }
};

namespace {

/// A turn ends after this many nodes or this long, so that cancel and inspect are heard in endless loops.
constexpr size_t kFrontierEntries = 10;
constexpr int kTurnNodes = 4096;
constexpr int kNodesPerClockCheck = 64;
constexpr uint64_t kTurnCycles = 250'000;  // about 100 us

uint64_t cycle_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace

namespace {

/// Kernels do not throw; the libraries that they call may, when memory is short.
absl::Status guarded(Kernel* kernel, KernelContext& context) {
  try {
    return kernel->compute(context);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("OOM: a kernel ran out of memory");
  } catch (const std::exception& e) {
    return absl::InternalError(absl::StrCat("a kernel threw: ", e.what()));
  }
}

}  // namespace

void KernelTask::run() {
  if (timed) {
    timing.begin_ns = wall_clock_ns();
    timing.thread = current_thread_id();
  }
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

int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

uint32_t current_thread_id() {
  static thread_local const uint32_t id = static_cast<uint32_t>(gettid());
  return id;
}

ExecutorState::ExecutorState(std::shared_ptr<const CompiledPartition> partition, ExecutorHost* host)
    : partition_(std::move(partition)), host_(host) {
  outputs_.resize(std::max(1, partition_->max_outputs()));
  ring_.resize(64);
  ring_mask_ = ring_.size() - 1;
  free_iterations_.resize(partition_->frames().size());
  free_frames_.resize(partition_->frames().size());
}

ExecutorState::~ExecutorState() { reset(); }

void ExecutorState::grow_ring() {
  std::vector<Ready> bigger(ring_.size() * 2);
  size_t n = 0;
  for (size_t i = head_; i != tail_; ++i) bigger[n++] = ring_[i & ring_mask_];
  ring_.swap(bigger);
  ring_mask_ = ring_.size() - 1;
  head_ = 0;
  tail_ = n;
}

inline __attribute__((always_inline)) void ExecutorState::make_ready(int32_t node, bool dead,
                                                                     IterationState* iteration) {
  if (tail_ - head_ == ring_.size()) [[unlikely]]
    grow_ring();
  ++iteration->outstanding_ops;
  ring_[tail_++ & ring_mask_] = {node, dead, iteration};
}

void ExecutorState::start(StepState* step, bool inline_only, bool collect_stats) {
  step_ = step;
  inline_only_ = inline_only;
  collect_stats_ = collect_stats;
  timings_.clear();
  aborted_ = false;
  status_ = absl::OkStatus();
  last_frontier_.clear();
  nodes_run_ = 0;
  if (root_ == nullptr) root_ = std::make_unique<Frame>();
  begin_iteration(root_.get());
  for (int32_t n : partition_->roots()) make_ready(n, false, root_->iterations[0]);
}

ExecutorState::Turn ExecutorState::advance() {
  drain_completed();
  // A step may be cancelled before it begins; what waits for messages would not hear of it later.
  if (step_->cancellation->cancelled()) abort(step_->cancellation->reason());
  int budget = kTurnNodes;
  uint64_t begin = cycle_now();
  while (true) {
    while (head_ != tail_ && !aborted_) {
      if (budget-- == 0) return Turn::kYield;
      if (budget % kNodesPerClockCheck == 0) {
        if (step_->cancellation->cancelled()) {
          abort(step_->cancellation->reason());
          break;
        }
        if (cycle_now() - begin > kTurnCycles) return Turn::kYield;
      }
      Ready r = ring_[head_++ & ring_mask_];
      // While this node runs, the memory of the next two is on its way.
      if (head_ != tail_) {
        const Ready& next = ring_[head_ & ring_mask_];
        const CompiledNode& n = partition_->node(next.node);
        __builtin_prefetch(n.kernel);
        __builtin_prefetch(next.iteration->inputs.data() + n.input_begin);
        __builtin_prefetch(partition_->edges(n).data());
        __builtin_prefetch(&partition_->node(ring_[(head_ + 1) & ring_mask_].node));
      }
      run_ready(r);
    }
    if (!deferred_.empty() && !aborted_) {
      if (step_->cancellation->cancelled()) {
        abort(step_->cancellation->reason());
        continue;
      }
      launch_deferred();
      if (head_ != tail_) continue;
    }
    if (in_flight_ == 0) {
      // An asynchronous kernel may have completed on this very thread.
      reset();
      return Turn::kFinished;
    }
    bool more;
    {
      std::lock_guard lock(completed_mu_);
      more = !completed_.empty();
    }
    if (!more) return Turn::kWaiting;
    drain_completed();
  }
}

void ExecutorState::abort(absl::Status status) {
  if (aborted_) return;
  // What a report of this end will want to know, while it is still there to be seen.
  if (keeps_frontier_ && (absl::IsDeadlineExceeded(status) || absl::IsCancelled(status)))
    last_frontier_ = frontier(kFrontierEntries);
  status_ = std::move(status);
  aborted_ = true;
  head_ = tail_;
  deferred_.clear();
}

void ExecutorState::fail(int node, const absl::Status& status) {
  if (step_->cancellation->cancelled() && (absl::IsCancelled(status) || absl::IsAborted(status))) {
    // Derived: the step was being cancelled already, and that has its own reason.
    bool first = !aborted_;
    abort(step_->cancellation->reason());
    const KernelNode& info = partition_->info(node);
    auto is_it = [&](const FrontierEntry& e) { return e.node == info.name; };
    if (first && std::none_of(last_frontier_.begin(), last_frontier_.end(), is_it)) {
      last_frontier_.insert(last_frontier_.begin(), {info.name, info.op->name, "running"});
    }
    return;
  }
  absl::string_view message = status.message();
  std::string where = absl::StrCat("[[{{node ", partition_->info(node).name, "}}]]");
  bool named = message.find(where) != absl::string_view::npos;
  abort(named ? status : annotate(status, "", absl::StrCat("\n\t ", where)));
}

/// Into an empty slot. References are rare: most values are tensors only.
inline __attribute__((always_inline)) void hand_over(Value& from, bool last_use, Value* to) {
  if (last_use) {
    to->tensor = std::move(from.tensor);
    if (from.ref != nullptr) [[unlikely]]
      to->ref = std::move(from.ref);
  } else {
    to->tensor = Tensor(from.tensor);
    if (from.ref != nullptr) [[unlikely]]
      to->ref = from.ref;
  }
}

inline void drop(Value& value) {
  if (value.tensor.initialized()) value.tensor = Tensor();
  if (value.ref != nullptr) [[unlikely]]
    value.ref.reset();
}

inline __attribute__((always_inline)) void ExecutorState::deliver(const OutEdge& e, Value* value, bool dead,
                                                                  bool from_enter, IterationState* to) {
  const CompiledNode& dst = partition_->node(e.dst);
  PendingCounts& counts = to->counts[dst.local];
  bool is_data = e.dst_slot >= 0;
  bool absent = dead || (is_data && (value == nullptr || !value->present()));
  if (!e.dst_is_merge) {
    if (absent) {
      ++counts.dead;
    } else if (is_data) {
      hand_over(*value, e.last_use, &to->inputs[e.dst_slot]);
    }
    if (--counts.pending == 0) {
      make_ready(e.dst, counts.dead > 0 && dst.kind != NodeKind::kControlTrigger, to);
    }
    return;
  }
  // Merge: pending is twice the missing control inputs, plus one until a live value is here.
  bool all_dead;
  if (!is_data) {
    counts.pending -= 2;
    all_dead = counts.dead == dst.num_inputs;
  } else if (!absent) {
    if ((counts.pending & 1) == 0) return;  // a live value came before: later ones are ignored
    counts.pending -= 1;
    hand_over(*value, e.last_use, &to->inputs[e.dst_slot]);
    to->merge_input[dst.local] = e.dst_slot - dst.input_begin;
    all_dead = false;
    if (counts.pending == 0) make_ready(e.dst, false, to);
    return;
  } else {
    ++counts.dead;
    // A dead Enter never gets a next iteration to wait for.
    if (from_enter) counts.dead = dst.num_inputs;
    all_dead = counts.dead == dst.num_inputs;
    if (counts.pending != 1 || !all_dead) return;
    make_ready(e.dst, true, to);
    return;
  }
  if (counts.pending == 0) {
    make_ready(e.dst, false, to);
  } else if (counts.pending == 1 && all_dead) {
    make_ready(e.dst, true, to);
  }
}

inline void ExecutorState::propagate(const CompiledNode& n, Value* outputs, bool dead, IterationState* to) {
  for (const OutEdge& e : partition_->edges(n)) {
    deliver(e, e.src_slot >= 0 && outputs != nullptr ? &outputs[e.src_slot] : nullptr, dead, n.is_enter, to);
  }
}

inline void ExecutorState::op_finished(IterationState* iteration) {
  if (--iteration->outstanding_ops == 0 && iteration->frame->parent != nullptr)
    check_iteration_done(iteration);
}

inline void ExecutorState::clear_inputs(const CompiledNode& n, IterationState* iteration) {
  Value* in = iteration->inputs.data() + n.input_begin;
  if (n.bound_inputs != 0) {
    // Constants stay; what a kernel took is put back.
    for (int i = 0; i < n.num_inputs; ++i) {
      if (!n.is_bound(i)) {
        drop(in[i]);
      } else if (!in[i].tensor.initialized()) {
        in[i].tensor = partition_->constant_at(n.input_begin + i);
      }
    }
    return;
  }
  for (int i = 0; i < n.num_inputs; ++i) {
    drop(in[i]);
  }
}

absl::Status ExecutorState::prepare_inputs(const CompiledNode& n, int node, Value* inputs) {
  const KernelNode& info = partition_->info(node);
  for (int i = 0; i < n.num_inputs; ++i) {
    Value& v = inputs[i];
    bool wants_ref = is_ref(info.input_types[i]);
    if (v.ref == nullptr) {
      if (wants_ref && v.present()) {
        return absl::InvalidArgumentError(absl::StrCat(i, "-th input expects a ref type"));
      }
      continue;
    }
    std::lock_guard lock(v.ref->mu);
    if (!v.ref->tensor.initialized()) {
      if (n.allows_uninitialized_input) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("Attempting to use uninitialized value ", v.ref->name));
    }
    if (!wants_ref) {
      v.tensor = v.ref->tensor;
      if (v.tensor.dtype() != info.input_types[i]) {
        return absl::InvalidArgumentError(absl::StrCat(
            i, "-th input expects type ", dtype_name(info.input_types[i]),
            " but automatically dereferenced input tensor has type ", dtype_name(v.tensor.dtype())));
      }
    }
  }
  for (int i = 0; i < n.num_inputs; ++i) {
    if (!is_ref(info.input_types[i]) && inputs[i].ref != nullptr) inputs[i].ref.reset();
  }
  return absl::OkStatus();
}

void ExecutorState::begin_timing() {
  timing_.begin_ns = wall_clock_ns();
  timing_.end_ns = 0;
  timing_.thread = current_thread_id();
}

void ExecutorState::record_timing(int node, const Value* outputs, int num_outputs) {
  NodeTiming done = timing_;
  done.node = node;
  if (done.end_ns == 0) done.end_ns = wall_clock_ns();
  for (int i = 0; i < num_outputs; ++i) {
    const Tensor& t = outputs[i].tensor;
    if (!t.initialized()) continue;
    done.outputs.push_back({i, t.dtype(), t.shape(), static_cast<int64_t>(t.bytes())});
  }
  timings_.push_back(std::move(done));
}

void ExecutorState::run_ready(const Ready& r) {
  const CompiledNode& n = partition_->node(r.node);
  if (collect_stats_) [[unlikely]]
    begin_timing();
  if (r.dead && n.kind != NodeKind::kSend && n.kind != NodeKind::kRecv) [[unlikely]] {
    clear_inputs(n, r.iteration);
    node_done(r, n, nullptr, true);
    return;
  }
  ++nodes_run_;
  if (n.kind == NodeKind::kNoOp) {
    if (collect_stats_) [[unlikely]]
      record_timing(r.node, nullptr, 0);
    for (const OutEdge& e : partition_->edges(n)) deliver(e, nullptr, false, false, r.iteration);
    op_finished(r.iteration);
    return;
  }
  Value* in = r.iteration->inputs.data() + n.input_begin;
  if (n.has_ref_inputs) [[unlikely]] {
    if (auto s = prepare_inputs(n, r.node, in); !s.ok()) return fail(r.node, s);
  }
  switch (n.kind) {
    case NodeKind::kKernel:
    case NodeKind::kSend:
      if (n.expensive && keep_for_launch(n, r)) return;
      return run_kernel_inline(n, r);
    case NodeKind::kAsyncKernel:
    case NodeKind::kRecv: return start_async(r);
    case NodeKind::kNoOp:
    case NodeKind::kControlTrigger: return node_done(r, n, nullptr, false);
    case NodeKind::kConst: {
      Value v{partition_->constant(n.aux), nullptr};
      return node_done(r, n, &v, false);
    }
    case NodeKind::kArg: {
      if (n.aux < 0 || static_cast<size_t>(n.aux) >= step_->args.size()) {
        return fail(r.node, absl::InternalError(absl::StrCat("argument ", n.aux, " of ", step_->args.size(),
                                                             " does not exist")));
      }
      Value v{step_->args[n.aux], nullptr};
      return node_done(r, n, &v, false);
    }
    case NodeKind::kRetval: {
      if (n.aux < 0 || static_cast<size_t>(n.aux) >= step_->retvals.size()) {
        return fail(r.node, absl::InternalError(absl::StrCat("return value ", n.aux, " of ",
                                                             step_->retvals.size(), " does not exist")));
      }
      step_->retvals[n.aux] = std::move(in[0].tensor);
      return node_done(r, n, nullptr, false);
    }
    case NodeKind::kIdentity:
    case NodeKind::kExit:
    case NodeKind::kNextIteration:
    case NodeKind::kEnter:
    case NodeKind::kLoopCond: return node_done(r, n, in, false);
    case NodeKind::kSwitch: {
      const Tensor& pred = in[1].tensor;
      if (pred.dtype() != DataType::kBool || pred.num_elements() != 1 || pred.rank() != 0) {
        return fail(r.node,
                    absl::InvalidArgumentError(absl::StrCat(
                        "The second input must be a scalar, but it has shape ", pred.shape().to_string())));
      }
      int taken = pred.value<bool>() ? 1 : 0;
      outputs_[taken] = std::move(in[0]);
      in[1].clear();
      return node_done(r, n, outputs_.data(), false);
    }
    case NodeKind::kSwitchN: {
      const Tensor& index = in[1].tensor;
      if (index.dtype() != DataType::kInt32 || index.num_elements() != 1) {
        return fail(r.node,
                    absl::InvalidArgumentError(absl::StrCat(
                        "The second input must be a scalar, but it has shape ", index.shape().to_string())));
      }
      int32_t taken = index.value<int32_t>();
      if (taken < 0 || taken >= n.num_outputs) taken = n.num_outputs - 1;
      outputs_[taken] = std::move(in[0]);
      in[1].clear();
      return node_done(r, n, outputs_.data(), false);
    }
    case NodeKind::kMerge: {
      int32_t which = r.iteration->merge_input[n.local];
      outputs_[0] = std::move(in[which]);
      if (n.aux != 0) outputs_[1].tensor = Tensor::scalar<int32_t>(which);
      return node_done(r, n, outputs_.data(), false);
    }
  }
}

void ExecutorState::run_kernel_inline(const CompiledNode& n, const Ready& r) {
  Value* in = r.iteration->inputs.data() + n.input_begin;
  KernelContext context(step_, &partition_->info(r.node), {in, static_cast<size_t>(n.num_inputs)},
                        {outputs_.data(), static_cast<size_t>(n.num_outputs)});
  context.frame_id = r.iteration->frame->id;
  context.iteration = r.iteration->number;
  context.is_input_dead = r.dead;
  absl::Status status;
  // Expensive kernels are always timed, cheap ones now and then.
  if (n.expensive && (partition_->cost(r.node) > CompiledPartition::kExpensiveCycles ||
                      partition_->cost(r.node) == 0 || (sample_++ & 15) == 0)) {
    busy_node_.store(r.node, std::memory_order_relaxed);
    uint64_t begin = cycle_now();
    status = guarded(n.kernel, context);
    partition_->record_cost(r.node, cycle_now() - begin);
    busy_node_.store(-1, std::memory_order_relaxed);
  } else {
    status = guarded(n.kernel, context);
  }
  if (!status.ok()) [[unlikely]] {
    for (int i = 0; i < n.num_outputs; ++i) outputs_[i].clear();
    return fail(r.node, status);
  }
  clear_inputs(n, r.iteration);
  node_done(r, n, outputs_.data(), false);
}

bool ExecutorState::keep_for_launch(const CompiledNode&, const Ready& r) {
  if (inline_only_) return false;
  uint32_t cost = partition_->cost(r.node);
  if (cost != 0 && cost < CompiledPartition::kExpensiveCycles) return false;
  deferred_.push_back(r);
  return true;
}

void ExecutorState::launch_deferred() {
  // One expensive node and nothing else to do: cheaper here than on another thread.
  if (deferred_.size() == 1 && in_flight_ == 0) {
    Ready r = deferred_[0];
    deferred_.clear();
    if (collect_stats_) begin_timing();
    return run_kernel_inline(partition_->node(r.node), r);
  }
  std::vector<KernelTask*> tasks;
  tasks.reserve(deferred_.size());
  for (const Ready& r : deferred_) tasks.push_back(make_task(r));
  deferred_.clear();
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
  return t;
}

void ExecutorState::start_async(const Ready& r) {
  KernelTask* t = make_task(r);
  ++in_flight_;
  if (t->timed) {
    t->timing.begin_ns = wall_clock_ns();
    t->timing.thread = current_thread_id();
  }
  static_cast<AsyncKernel*>(partition_->node(r.node).kernel)->compute_async(*t->context, [t](absl::Status s) {
    t->status = std::move(s);
    if (t->timed) t->timing.end_ns = wall_clock_ns();
    t->owner->complete(t);
  });
}

void ExecutorState::complete(KernelTask* task) {
  std::lock_guard lock(completed_mu_);
  completed_.push_back(task);
  if (wake_pending_) return;
  wake_pending_ = true;
  // Under the lock, so that the executor cannot finish and go away between the push and the wake.
  host_->wake();
}

void ExecutorState::drain_completed() {
  {
    std::lock_guard lock(completed_mu_);
    draining_.swap(completed_);
    wake_pending_ = false;
  }
  for (KernelTask* t : draining_) finish_task(t);
  draining_.clear();
}

void ExecutorState::finish_task(KernelTask* t) {
  --in_flight_;
  const CompiledNode& n = partition_->node(t->node);
  if (n.expensive) partition_->record_cost(t->node, t->cycles);
  absl::Status status = std::move(t->status);
  if (!status.ok()) fail(t->node, status);
  t->inputs.clear();
  if (t->timed) timing_ = t->timing;
  if (!aborted_) node_done({t->node, false, t->iteration}, n, t->outputs.data(), false);
  t->outputs.clear();
  t->context.reset();
  free_tasks_.push_back(t);
}

// --- propagation ------------------------------------------------------------------------------------------------

void ExecutorState::node_done(const Ready& r, const CompiledNode& n, Value* outputs, bool dead) {
  if (collect_stats_ && !dead) [[unlikely]]
    record_timing(r.node, outputs, outputs == nullptr ? 0 : n.num_outputs);
  switch (n.kind) {
    case NodeKind::kEnter: enter(r, n, dead ? nullptr : outputs); break;
    case NodeKind::kNextIteration:
      if (!dead) next_iteration(r, n, outputs);
      break;
    case NodeKind::kExit: {
      Frame* frame = r.iteration->frame;
      if (frame->parent == nullptr) {
        propagate(n, outputs, dead, r.iteration);
      } else if (dead) {
        if (r.iteration->number == frame->last) frame->dead_exits.push_back(r.node);
      } else {
        propagate(n, outputs, false, frame->parent_iteration);
      }
      break;
    }
    case NodeKind::kKernel:
    case NodeKind::kAsyncKernel:
      if (!dead && n.num_outputs == 1 && outputs[0].ref == nullptr && outputs[0].tensor.initialized() &&
          outputs[0].tensor.dtype() == n.output_type) [[likely]] {
        // One value of the declared type: nothing to say.
      } else if (!dead) {
        const KernelNode& info = partition_->info(r.node);
        for (int i = 0; i < n.num_outputs; ++i) {
          if (!outputs[i].present()) [[unlikely]] {
            return fail(r.node, absl::InternalError(
                                    absl::StrCat("Missing ", i, "-th output from {{node ", info.name, "}}")));
          }
          if (outputs[i].ref == nullptr && outputs[i].tensor.dtype() != base_type(info.output_types[i]))
              [[unlikely]] {
            return fail(r.node, absl::InternalError(absl::StrCat(
                                    "Output ", i, " of type ", dtype_name(outputs[i].tensor.dtype()),
                                    " does not match declared output type ", dtype_name(info.output_types[i]),
                                    " for node {{node ", info.name, "}}")));
          }
        }
      }
      [[fallthrough]];
    default: propagate(n, outputs, dead, r.iteration); break;
  }
  if (outputs != nullptr) {
    for (int i = 0; i < n.num_outputs; ++i) {
      drop(outputs[i]);
    }
  }
  op_finished(r.iteration);
}

// --- frames -----------------------------------------------------------------------------------------------------

IterationState* ExecutorState::new_iteration(Frame* frame) {
  const CompiledFrame& def = partition_->frames()[frame->index];
  auto& pool = free_iterations_[frame->index];
  std::unique_ptr<IterationState> it;
  if (pool.empty()) {
    it = std::make_unique<IterationState>();
    it->counts.resize(def.initial.size());
    it->inputs.resize(def.num_input_slots);
    it->merge_input.resize(def.initial.size());
    if (frame->index == 0) {
      for (const BoundConstant& b : partition_->bound_constants())
        it->inputs[b.slot].tensor = partition_->constant(b.constant);
    }
  } else {
    it = std::move(pool.back());
    pool.pop_back();
  }
  if (!def.initial.empty()) {
    std::memcpy(it->counts.data(), def.initial.data(), def.initial.size() * sizeof(PendingCounts));
  }
  it->frame = frame;
  it->number = frame->last;
  it->outstanding_ops = 0;
  return it.release();
}

void ExecutorState::begin_iteration(Frame* frame) {
  IterationState* it = new_iteration(frame);
  frame->iterations.push_back(it);
  ++frame->alive;
  frame->dead_exits.clear();
  for (auto& [node, value] : frame->invariants) {
    const bool dead = !value.present();
    for (OutEdge e : partition_->edges(partition_->node(node))) {
      e.last_use = false;
      deliver(e, e.src_slot >= 0 ? &value : nullptr, dead, true, it);
    }
  }
}

ExecutorState::Frame* ExecutorState::find_or_create_child(IterationState* parent, int frame_index) {
  for (Frame* f : parent->children) {
    if (f->index == frame_index) return f;
  }
  std::unique_ptr<Frame> f;
  auto& pool = free_frames_[frame_index];
  if (pool.empty()) {
    f = std::make_unique<Frame>();
  } else {
    f = std::move(pool.back());
    pool.pop_back();
  }
  const CompiledFrame& def = partition_->frames()[frame_index];
  f->index = frame_index;
  f->parent = parent->frame;
  f->parent_iteration = parent;
  f->pending_enters = def.num_enters;
  f->last = 0;
  f->alive = 0;
  // The same on every device, so that both ends of a transfer agree on the key.
  f->id = absl::HashOf(parent->frame->id, parent->number, def.name) | 1;
  parent->children.push_back(f.get());
  begin_iteration(f.get());
  return f.release();
}

void ExecutorState::enter(const Ready& r, const CompiledNode& n, Value* value) {
  Frame* f = find_or_create_child(r.iteration, n.aux);
  --f->pending_enters;
  if (n.is_constant_enter) {
    Value kept = value == nullptr ? Value{} : *value;
    f->invariants.emplace_back(r.node, kept);
    for (size_t i = 0; i < f->iterations.size(); ++i) {
      Value copy = kept;
      propagate(n, value == nullptr ? nullptr : &copy, value == nullptr, f->iterations[i]);
      // `propagate` moves on the last use; later iterations get a fresh copy.
    }
  } else {
    propagate(n, value, value == nullptr, f->iterations[0]);
  }
  if (f->pending_enters == 0 && !f->iterations.empty()) check_iteration_done(f->iterations[0]);
}

void ExecutorState::next_iteration(const Ready& r, const CompiledNode& n, Value* value) {
  Frame* f = r.iteration->frame;
  if (f->parent == nullptr) return propagate(n, value, false, r.iteration);
  IterationState* next = nullptr;
  if (r.iteration->number == f->last) {
    if (f->alive >= partition_->frames()[f->index].parallel_iterations) {
      f->parked.emplace_back(r.node, std::move(*value));
      return;
    }
    ++f->last;
    begin_iteration(f);
    next = f->iterations.back();
  } else {
    next = f->find(r.iteration->number + 1);
  }
  propagate(n, value, false, next);
}

void ExecutorState::check_iteration_done(IterationState* iteration) {
  Frame* f = iteration->frame;
  // Iterations end in order: only the oldest can be done.
  while (!f->iterations.empty()) {
    IterationState* oldest = f->iterations.front();
    if (oldest->outstanding_ops != 0 || !oldest->children.empty() || f->pending_enters != 0) return;
    f->iterations.erase(f->iterations.begin());
    --f->alive;
    recycle(oldest);
    if (!f->parked.empty()) {
      // Room for one more iteration now.
      auto parked = std::move(f->parked);
      f->parked.clear();
      ++f->last;
      begin_iteration(f);
      IterationState* next = f->iterations.back();
      for (auto& [node, value] : parked) propagate(partition_->node(node), &value, false, next);
    }
  }
  finish_frame(f);
}

void ExecutorState::finish_frame(Frame* f) {
  IterationState* parent = f->parent_iteration;
  for (int32_t exit : f->dead_exits) propagate(partition_->node(exit), nullptr, true, parent);
  auto& siblings = parent->children;
  siblings.erase(std::find(siblings.begin(), siblings.end(), f));
  f->dead_exits.clear();
  f->invariants.clear();
  free_frames_[f->index].emplace_back(f);
  if (parent->outstanding_ops == 0 && parent->frame->parent != nullptr) check_iteration_done(parent);
}

void ExecutorState::recycle(IterationState* iteration) {
  free_iterations_[iteration->frame->index].emplace_back(iteration);
}

/// Back to rest. After a clean step all values have been consumed; after an aborted one they are dropped here.
void ExecutorState::reset() {
  if (root_ == nullptr) return;
  // Kept from step to step: a step allocates nothing.
  std::vector<Frame*>& frames = frames_left_;
  frames.push_back(root_.get());
  while (!frames.empty()) {
    Frame* f = frames.back();
    frames.pop_back();
    for (IterationState* it : f->iterations) {
      frames.insert(frames.end(), it->children.begin(), it->children.end());
      it->children.clear();
      if (aborted_ && f == root_.get()) {
        // Its slots hold this step's values among constants: the next step makes a new one.
        delete it;
        continue;
      }
      if (aborted_ || f != root_.get()) {
        for (Value& v : it->inputs) v.clear();
      }
      recycle(it);
    }
    f->iterations.clear();
    f->invariants.clear();
    f->parked.clear();
    f->dead_exits.clear();
    f->alive = 0;
    if (f != root_.get()) free_frames_[f->index].emplace_back(f);
  }
  head_ = tail_ = 0;
  deferred_.clear();
}

// --- reports ----------------------------------------------------------------------------------------------------

std::vector<FrontierEntry> ExecutorState::frontier(size_t limit) const {
  std::vector<FrontierEntry> out;
  absl::flat_hash_map<int, bool> listed;
  auto add = [&](int node, std::string waits) {
    if (out.size() >= limit || !listed.emplace(node, true).second) return;
    const KernelNode& info = partition_->info(node);
    out.push_back({info.name, info.op->name, std::move(waits)});
  };
  for (const auto& t : tasks_) {
    if (t->context.has_value()) add(t->node, "running");
  }
  for (size_t i = head_; i != tail_; ++i) add(ring_[i & ring_mask_].node, "ready");
  if (root_ == nullptr || root_->iterations.empty() || out.size() >= limit) return out;
  // Nodes that have some of their inputs, or whose producers run: first those of the frames alive.
  std::vector<const Frame*> frames{root_.get()};
  for (size_t k = 0; k < frames.size() && out.size() < limit; ++k) {
    const Frame* f = frames[k];
    for (const IterationState* it : f->iterations) {
      frames.insert(frames.end(), it->children.begin(), it->children.end());
      for (int i = 0; i < partition_->num_nodes() && out.size() < limit; ++i) {
        const CompiledNode& n = partition_->node(i);
        if (n.frame != f->index) continue;
        const PendingCounts& c = it->counts[n.local];
        const PendingCounts& initial = partition_->frames()[f->index].initial[n.local];
        // Bound constants count as inputs that are there.
        if (c.pending <= 0 || (c.pending == initial.pending && n.bound_inputs == 0)) continue;
        std::vector<std::string> names = partition_->input_names(i);
        std::vector<std::string> missing;
        for (int s = 0; s < n.num_inputs; ++s) {
          if (!it->inputs[n.input_begin + s].present()) missing.push_back(names[s]);
        }
        add(i, absl::StrCat("waits for ", absl::StrJoin(missing, ", ")));
      }
    }
  }
  return out;
}

}  // namespace troupe
