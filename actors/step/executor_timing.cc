#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/step/executor_frame.h"
#include "devices/memory/allocation_log.h"
#include "devices/memory/step_allocations.h"

// When nodes ran and what memory they took, for steps that are asked about it.

namespace troupe {
namespace {

/// As many as TensorFlow keeps of a step.
constexpr size_t kMostTimings = 1 << 20;

NodeTiming::Output describe(int slot, const Tensor& t) {
  NodeTiming::Output output{slot, t.dtype(), t.shape(), static_cast<int64_t>(t.bytes())};
  if (const Buffer* buffer = t.buffer()) {
    output.data = buffer->data();
    output.allocation_id = TrackingAllocator::allocation_id(*buffer);
    output.single_reference = buffer->unique();
  }
  return output;
}

}  // namespace

int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::chrono::steady_clock::time_point coarse_now() {
  timespec t{};
  if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) != 0) return std::chrono::steady_clock::now();
  return std::chrono::steady_clock::time_point(std::chrono::seconds(t.tv_sec) +
                                               std::chrono::nanoseconds(t.tv_nsec));
}

uint32_t current_thread_id() {
  static thread_local const uint32_t id = static_cast<uint32_t>(gettid());
  return id;
}

void ExecutorState::begin_timing() {
  timing_ = {};
  timing_.begin_ns = wall_clock_ns();
  timing_.thread = current_thread_id();
}

bool ExecutorState::logs_memory() const {
  return step_->allocations != nullptr && step_->allocations->log() != nullptr;
}

void ExecutorState::track_memory(int node, NodeTiming* timing, KernelContext* context) {
  const Device& device = *partition_->device();
  timing->memory = step_->allocations->track(partition_->info(node).name, device.name(), device.allocator());
  context->own_allocator = timing->memory.get();
}

void ExecutorState::record_timing(int node, const Value* outputs, int num_outputs) {
  if (timings_.size() >= kMostTimings) return;
  NodeTiming done = std::move(timing_);
  done.node = node;
  if (done.end_ns == 0) done.end_ns = wall_clock_ns();
  const CompiledNode& n = partition_->node(node);
  for (int i = 0; i < num_outputs; ++i) {
    const Value& v = outputs[i];
    std::unique_lock<std::mutex> lock;
    if (v.ref != nullptr) lock = std::unique_lock(v.ref->mu);
    const Tensor& t = v.ref != nullptr ? v.ref->tensor : v.tensor;
    if (!t.initialized()) continue;
    done.outputs.push_back(describe(i, t));
    if (AllocationLog* log = step_->allocations == nullptr ? nullptr : step_->allocations->log())
      log->put_out(step_->allocations->step_id(), partition_->info(node).name, i, t);
    // A variable's own node, and a constant, keep what they give.
    if (n.num_inputs == 0 && (v.ref != nullptr || n.kind == NodeKind::kConst))
      done.persistent_bytes += done.outputs.back().bytes;
  }
  if (done.memory != nullptr) {
    done.bytes = done.memory->bytes();
    done.device_bytes_in_use = done.memory->stats().bytes_in_use;
    int64_t kept = done.bytes.live;
    absl::flat_hash_set<const void*> seen;
    for (int i = 0; i < num_outputs; ++i) {
      const Buffer* buffer = outputs[i].tensor.buffer();
      if (buffer == nullptr || buffer->allocator() != done.memory.get() ||
          !seen.insert(&buffer->whole()).second)
        continue;
      kept -= static_cast<int64_t>(buffer->whole().bytes());
    }
    done.persistent_bytes += std::max<int64_t>(0, kept);
  }
  timings_.push_back(std::move(done));
}

/// An error for want of memory says what the step holds, if it kept account of that, and else how to learn it.
absl::Status ExecutorState::explain_shortage(const absl::Status& status) const {
  constexpr char kUsage[] = "Current usage from device: ";
  constexpr char kHint[] =
      "Hint: If you want to see a list of allocated tensors when OOM happens, add "
      "report_tensor_allocations_upon_oom to RunOptions for current allocation info.";
  if (!absl::IsResourceExhausted(status) || !absl::StrContains(status.message(), "OOM when allocating"))
    return status;
  // A function that was called has said it.
  if (absl::StrContains(status.message(), kUsage) || absl::StrContains(status.message(), kHint))
    return status;
  if (step_->allocations == nullptr) return annotate(status, "", absl::StrCat("\n", kHint));
  const Device& device = *partition_->device();
  return annotate(status, "",
                  absl::StrCat("\n\n", step_->allocations->usage(device.name(), device.allocator()->name())));
}

}  // namespace troupe
