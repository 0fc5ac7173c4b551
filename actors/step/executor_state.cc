#include "actors/step/executor_state.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "actors/step/executor_edges.h"
#include "actors/step/executor_frame.h"
#include "actors/step/kernel_errors.h"
#include "devices/flush_denormals.h"

namespace troupe {
namespace {

/// How many nodes the report of a cancelled step names.
constexpr size_t kFrontierEntries = 10;
/// A turn ends after this many nodes or this long, so that cancel and inspect are heard in endless loops.
constexpr int kTurnNodes = 4096;
constexpr int kNodesPerClockCheck = 64;
constexpr std::chrono::microseconds kTurnTime{100};

/// kTurnTime in ticks of cycle_now, whose rate is the machine's business: measured once, for as long as half a turn.
uint64_t turn_cycles() {
  static const uint64_t cycles = [] {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const uint64_t first = cycle_now();
    auto now = begin;
    while (now - begin < kTurnTime / 2) now = Clock::now();
    const double rate =
        static_cast<double>(cycle_now() - first) / std::chrono::nanoseconds(now - begin).count();
    return static_cast<uint64_t>(rate * std::chrono::nanoseconds(kTurnTime).count());
  }();
  return cycles;
}

}  // namespace

ExecutorState::ExecutorState(std::shared_ptr<const CompiledPartition> partition, ExecutorHost* host)
    : partition_(std::move(partition)), host_(host), turn_cycles_(turn_cycles()) {
  outputs_.resize(std::max(1, partition_->max_outputs()));
  set_ring_size(first_ring_size());
  free_iterations_.resize(partition_->frames().size());
  free_frames_.resize(partition_->frames().size());
}

ExecutorState::~ExecutorState() { reset(); }

size_t ExecutorState::first_ring_size() const {
  return std::bit_ceil(
      std::clamp(static_cast<size_t>(partition_->num_nodes()), kSmallestRing, kLargestFirstRing));
}

void ExecutorState::set_ring_size(size_t size) {
  if (ring_.size() == size) return;
  ring_ = std::vector<Ready>(size);
  ring_mask_ = size - 1;
}

void ExecutorState::grow_ring() {
  std::vector<Ready> bigger(ring_.size() * 2);
  size_t n = 0;
  for (size_t i = head_; i != tail_; ++i) bigger[n++] = ring_[i & ring_mask_];
  ring_.swap(bigger);
  ring_mask_ = ring_.size() - 1;
  head_ = 0;
  tail_ = n;
}

void ExecutorState::prepare(StepState* step, bool inline_only, bool collect_stats, ParallelRunner* loops) {
  step_ = step;
  loops_ = loops;
  inline_only_ = inline_only;
  collect_stats_ = collect_stats || logs_memory();
  timings_.clear();
  aborted_ = false;
  status_ = absl::OkStatus();
  last_frontier_.clear();
  nodes_run_ = 0;
}

void ExecutorState::start(StepState* step, bool inline_only, bool collect_stats, ParallelRunner* loops) {
  prepare(step, inline_only, collect_stats, loops);
  if (root_ == nullptr) root_ = std::make_unique<Frame>();
  begin_iteration(root_.get());
  for (int32_t n : partition_->roots()) make_ready(n, false, root_->iterations[0]);
}

ExecutorState::Turn ExecutorState::advance() {
  // The thread may be a caller's, who gets it back as it was.
  const FlushDenormals flush(partition_->computes_floats());
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
        if (cycle_now() - begin > turn_cycles_) return Turn::kYield;
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
  if (aborted_ || status.ok()) return;
  // What a report of this end will want to know, while it is still there to be seen.
  if (keeps_frontier_ && (absl::IsDeadlineExceeded(status) || absl::IsCancelled(status)))
    last_frontier_ = frontier(kFrontierEntries);
  status_ = std::move(status);
  aborted_ = true;
  head_ = tail_;
  deferred_.clear();
}

void ExecutorState::fail(int node, const absl::Status& error) {
  const absl::Status status = unless_lost(error, *partition_->device());
  if (step_->cancellation->cancelled() && is_derived(status, step_->cancellation->reason())) {
    bool first = !aborted_;
    abort(step_->cancellation->reason());
    const KernelNode& info = partition_->info(node);
    auto is_it = [&](const FrontierEntry& e) { return e.node == info.name; };
    if (first && std::none_of(last_frontier_.begin(), last_frontier_.end(), is_it)) {
      last_frontier_.insert(last_frontier_.begin(), {info.name, info.op->name, "running"});
    }
    return;
  }
  const KernelNode& info = partition_->info(node);
  std::string where = absl::StrCat("{{node ", info.name, "}}");
  bool named = status.message().find(where) != absl::string_view::npos;
  const absl::Status own = named ? status : annotate(status, "", absl::StrCat("\n\t [[", where, "]]"));
  abort(explain_shortage(as_of_this_process(own, *info.op, info.name)));
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
      // A client's own _Arg may stand where the signature feeds another type.
      if (v.tensor.dtype() != n.output_type && v.tensor.initialized()) [[unlikely]] {
        return fail(r.node, absl::InvalidArgumentError(
                                absl::StrCat("Type mismatch: actual ", dtype_name(v.tensor.dtype()),
                                             " vs. expect ", dtype_name(n.output_type))));
      }
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
      outputs_[pred.value<bool>() ? 1 : 0] = std::move(in[0]);
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
  context.unused_outputs = n.unused_outputs;
  if (step_->allocations != nullptr) [[unlikely]]
    track_memory(r.node, &timing_, &context);
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

/// A consumer trusts the declared type: a value of another would be read past its end.
absl::Status ExecutorState::check_outputs(int node, const CompiledNode& n, const Value* outputs) const {
  const KernelNode& info = partition_->info(node);
  for (int i = 0; i < n.num_outputs; ++i) {
    const Value& v = outputs[i];
    if (!v.present()) {
      // A dead value, or one that nobody asked for.
      if (n.kind == NodeKind::kRecv || !is_consumed(n, i)) continue;
      return absl::InternalError(absl::StrCat("Missing ", i, "-th output from {{node ", info.name, "}}"));
    }
    const DataType declared = info.output_types[i];
    const DataType type = v.ref != nullptr ? reference_type(*v.ref, declared) : v.tensor.dtype();
    if (v.ref != nullptr ? type == declared : type == base_type(declared)) continue;
    return absl::InternalError(absl::StrCat("Output ", i, " of type ", dtype_name(type),
                                            " does not match declared output type ", dtype_name(declared),
                                            " for node {{node ", info.name, "}}"));
  }
  return absl::OkStatus();
}

bool ExecutorState::is_consumed(const CompiledNode& n, int output) const {
  const auto edges = partition_->edges(n);
  return std::any_of(edges.begin(), edges.end(), [&](const OutEdge& e) { return e.src_slot == output; });
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
    case NodeKind::kRecv:
      if (!dead && n.num_outputs == 1 && outputs[0].ref == nullptr && outputs[0].tensor.initialized() &&
          outputs[0].tensor.dtype() == n.output_type) [[likely]] {
        // One value of the declared type: nothing to say.
      } else if (!dead) {
        if (auto s = check_outputs(r.node, n, outputs); !s.ok()) [[unlikely]]
          return fail(r.node, s);
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

}  // namespace troupe
