#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "actors/step/kernel_task.h"
#include "actors/step/node_timing.h"
#include "devices/compiled_partition.h"
#include "graph/status.h"

namespace troupe {

struct IterationState;

/// One line of a report on a running step: a node that is not done and what it waits for.
struct FrontierEntry {
  std::string node;
  std::string op;
  /// "running", or the inputs that are missing: "a:0, ^b".
  std::string waits_for;
};

/// The dataflow machine of one partition: pending counts, input slots, frames, the ready ring. It runs cheap nodes
/// itself and hands expensive ones to its host. No clock, no threads, no actors: the EXECUTOR calls `start`, then
/// `advance` until it says that it is finished; other threads call only `complete`. Reused from step to step; from its
/// third step on it allocates nothing but tensors.
///
/// Frames follow TensorFlow's rules: a child frame exists per (parent iteration, name); Merge waits for its control
/// inputs and one live value, or for all values dead; dead nodes propagate deadness instead of running.
class ExecutorState {
 public:
  /// What became of a turn.
  enum class Turn {
    /// Out of budget with nodes ready: call advance again soon.
    kYield,
    /// Nothing ready; tasks are out.
    kWaiting,
    /// The step is over: see status().
    kFinished,
  };

  /// `host` outlives this.
  ExecutorState(std::shared_ptr<const CompiledPartition> partition, ExecutorHost* host);
  ~ExecutorState();
  ExecutorState(const ExecutorState&) = delete;

  /// Begins a step. `step` must stay valid until the step is finished. With inline_only nothing is launched; with
  /// collect_stats every execution of a node is recorded; `loops` takes the loops of kernels, instead of the device's runner.
  void start(StepState* step, bool inline_only, bool collect_stats = false, ParallelRunner* loops = nullptr);
  /// What a step has come to in a partition; to go on from once, anywhere.
  class Snapshot;
  /// Begins a step where another of the same partition was when it was copied. Takes what is in `from`.
  void start_from(StepState* step, bool inline_only, Snapshot& from, ParallelRunner* loops = nullptr);
  /// Nothing can be done before a receive is answered: all that is out are receives. Executor's thread only.
  bool at_rest();
  /// Of a step that is at rest, or through. Values are shared, counts copied, and receives begun anew. Executor's thread only.
  std::shared_ptr<Snapshot> copy() const;
  /// Runs ready nodes up to the budget.
  Turn advance();
  /// Takes back a task; from any thread. The host is woken unless a wake is already under way.
  void complete(KernelTask* task);
  /// Drops what is ready; nothing new starts. What is out is waited for. The first status given sticks; an OK one is no
  /// reason to stop and does nothing.
  void abort(absl::Status status);
  /// The executor dies. `owner`, which owns this, stays until asynchronous kernels that are out have answered; the others are held by
  /// those who run them. Nobody is woken any more.
  void abandon(std::shared_ptr<void> owner);

  /// The first error of this partition, or OK.
  const absl::Status& status() const { return status_; }
  const CompiledPartition& partition() const { return *partition_; }
  int64_t nodes_run() const { return nodes_run_; }
  int in_flight() const { return in_flight_; }
  /// What ran, in the order in which it ended, when the step collected statistics.
  const std::vector<NodeTiming>& timings() const { return timings_; }
  /// Bytes of the values that wait for nodes, each counted once: made or fed and not consumed yet. What kernels on other threads hold is
  /// not in it, nor are constants.
  int64_t waiting_bytes() const;
  /// The node whose kernel holds the executor's own thread right now, or -1; from any thread.
  int busy_node() const { return busy_node_.load(std::memory_order_relaxed); }
  /// What was not done when the step was cancelled; empty after other ends.
  const std::vector<FrontierEntry>& last_frontier() const { return last_frontier_; }
  /// Whether that is wanted; it is at first. Not while a step runs.
  void keep_last_frontier(bool keep) { keeps_frontier_ = keep; }
  /// Up to `limit` nodes not done: running ones first, then ready, then those that miss some inputs. Executor's thread only.
  std::vector<FrontierEntry> frontier(size_t limit) const;

 private:
  friend struct KernelTask;
  friend struct IterationState;
  static constexpr size_t kSmallestRing = 8, kLargestFirstRing = 64;
  /// For as many nodes as there are, within these bounds; it grows.
  size_t first_ring_size() const;
  struct Frame;
  void prepare(StepState* step, bool inline_only, bool collect_stats, ParallelRunner* loops);
  struct Ready {
    int32_t node;
    bool dead;
    IterationState* iteration;
  };

  void add_waiting(size_t limit, absl::flat_hash_set<int32_t>* listed, std::vector<FrontierEntry>* out) const;

  /// @name Running nodes
  void run_ready(const Ready& r);
  void begin_timing();
  void record_timing(int node, const Value* outputs, int num_outputs);
  bool logs_memory() const;
  void track_memory(int node, NodeTiming* timing, KernelContext* context);
  void run_kernel_inline(const CompiledNode& n, const Ready& r);
  bool keep_for_launch(const CompiledNode& n, const Ready& r);
  size_t input_bytes(const CompiledNode& n, const Ready& r) const;
  void launch_deferred();
  KernelTask* make_task(const Ready& r);
  void start_async(const Ready& r);
  void drain_completed();
  void finish_task(KernelTask* task);
  absl::Status prepare_inputs(const CompiledNode& n, int node, Value* inputs);
  void fail(int node, const absl::Status& status);
  absl::Status explain_shortage(const absl::Status& status) const;

  /// @name Propagation
  void node_done(const Ready& r, const CompiledNode& n, Value* outputs, bool dead);
  absl::Status check_outputs(int node, const CompiledNode& n, const Value* outputs) const;
  bool is_consumed(const CompiledNode& n, int output) const;
  void propagate(const CompiledNode& n, Value* outputs, bool dead, IterationState* to);
  void deliver(const OutEdge& e, Value* value, bool dead, bool from_enter, IterationState* to);
  void make_ready(int32_t node, bool dead, IterationState* iteration);
  void grow_ring();
  /// Of an empty ring; a power of two.
  void set_ring_size(size_t size);
  void clear_inputs(const CompiledNode& n, IterationState* iteration);

  /// @name Frames
  Frame* find_or_create_child(IterationState* parent, int frame_index);
  IterationState* new_iteration(Frame* frame);
  void begin_iteration(Frame* frame);
  void enter(const Ready& r, const CompiledNode& n, Value* value);
  void next_iteration(const Ready& r, const CompiledNode& n, Value* value);
  void op_finished(IterationState* iteration);
  void check_iteration_done(IterationState* iteration);
  void finish_frame(Frame* frame);
  void recycle(IterationState* iteration);
  void reset();
  /// Of the frames and iterations; at rest.
  void free_memory();

  const std::shared_ptr<const CompiledPartition> partition_;
  ExecutorHost* const host_;
  const uint64_t turn_cycles_;
  StepState* step_ = nullptr;
  ParallelRunner* loops_ = nullptr;
  bool inline_only_ = false;
  bool collect_stats_ = false;
  /// Of the node that runs right now; what ran before.
  NodeTiming timing_;
  std::vector<NodeTiming> timings_;
  bool aborted_ = false;
  bool ran_before_ = false;
  absl::Status status_;
  std::vector<FrontierEntry> last_frontier_;
  bool keeps_frontier_ = true;
  int in_flight_ = 0;
  int64_t nodes_run_ = 0;
  uint32_t sample_ = 0;
  std::atomic<int> busy_node_{-1};

  /// Ready nodes, first in first out; head_ is the next.
  std::vector<Ready> ring_;
  size_t ring_mask_ = 0;
  size_t head_ = 0;
  size_t tail_ = 0;
  std::vector<Ready> deferred_;
  std::vector<Value> outputs_;

  std::unique_ptr<Frame> root_;
  std::vector<std::vector<std::unique_ptr<IterationState>>> free_iterations_;  // by static frame
  std::vector<std::vector<std::unique_ptr<Frame>>> free_frames_;
  std::vector<Frame*> frames_left_;  // of reset
  std::vector<std::unique_ptr<KernelTask>> tasks_;
  std::vector<KernelTask*> free_tasks_;

  std::mutex completed_mu_;
  std::vector<KernelTask*> completed_;  // guarded by completed_mu_
  bool wake_pending_ = false;           // guarded by completed_mu_
  /// Of an executor that died: asynchronous kernels that are out, and what they keep.
  std::ptrdiff_t answers_missing_ = 0;  // guarded by completed_mu_
  std::shared_ptr<void> owner_;         // guarded by completed_mu_
  std::vector<KernelTask*> draining_;
};

}  // namespace troupe
