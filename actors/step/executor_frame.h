#pragma once

#include <chrono>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/step/executor_state.h"
#include "graph/thrown.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// What the sources of ExecutorState share: iterations and frames, cycles, a kernel guarded. For them only.

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

class ExecutorState::Snapshot {
 public:
  Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  ~Snapshot();

 private:
  friend class ExecutorState;
  /// By what they were copied from.
  using Copies = absl::flat_hash_map<const IterationState*, IterationState*>;
  void copy_frame(const Frame& from, Frame* to, Copies* copies);

  /// Null: the partition is through.
  std::unique_ptr<Frame> root_;
  std::vector<Ready> receives_;
};

inline uint64_t cycle_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Kernels do not throw; the libraries that they call may, when memory is short.
inline absl::Status guarded(Kernel* kernel, KernelContext& context) {
  try {
    return kernel->compute(context);
  } catch (...) {
    return thrown_status("a kernel");
  }
}

}  // namespace troupe
