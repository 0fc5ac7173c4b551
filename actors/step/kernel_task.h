#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "actors/step/node_timing.h"
#include "devices/kernel.h"
#include "graph/status.h"

namespace troupe {

class ExecutorState;
struct IterationState;

/// One kernel on its way to another thread and back: its inputs and outputs live here meanwhile. Pooled by the
/// ExecutorState that owns it.
struct KernelTask {
  ExecutorState* owner = nullptr;
  int32_t node = -1;
  IterationState* iteration = nullptr;
  std::vector<Value> inputs;
  std::vector<Value> outputs;
  std::optional<KernelContext> context;
  absl::Status status;
  uint64_t cycles = 0;
  /// When it began and ended, on which thread; only when the step collects statistics.
  bool timed = false;
  NodeTiming timing = {};
  /// Counts the answers of asynchronous kernels: the first of each use of the task is taken.
  std::atomic<uint32_t> round{0};
  /// Out, and nothing but the kernel's own answer will bring it back.
  bool asynchronous = false;
  /// No other thread would have it: the EXECUTOR runs it when it comes back.
  bool handed_back = false;

  /// Runs the kernel; on any thread. The caller then hands the task to ExecutorState::complete.
  void run();
  /// Both.
  void run_to_end();
  /// Instead of running it: its EXECUTOR does, in a turn of its own. From any thread.
  void hand_back();
  /// Completes an asynchronous kernel, unless it was in this round; from any thread.
  void answer(uint32_t in_round, absl::Status s);
};

/// What an ExecutorState asks of the EXECUTOR around it.
class ExecutorHost {
 public:
  virtual ~ExecutorHost() = default;
  /// Runs these tasks on other threads, each followed by ExecutorState::complete.
  virtual void launch_kernels(std::vector<KernelTask*> tasks) = 0;
  /// Tasks have completed: call ExecutorState::drain soon, on the executor's own thread. From any thread.
  virtual void wake() = 0;
};

}  // namespace troupe
