#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "actors/messages.h"
#include "actors/step_lease.h"

namespace troupe {

/// A run that no thread waits for, from when it is counted in to its answer: one asked for by message, or by Session::run_async. It
/// holds a place in the gate and a slot, and gives both back whatever becomes of SESSION. The thread that ends its step answers;
/// SESSION takes part only where a slot must be made, and where partition graphs are asked for. A run that SESSION loses
/// is answered by its destructor.
class OutstandingRun : public std::enable_shared_from_this<OutstandingRun> {
 public:
  /// How it ended: the fetches when the status is OK, what the run did in any case. Called once, on any thread, after the run has left
  /// the gate; must not block.
  using Answer = std::function<void(const absl::Status& status, RunReply reply)>;

  /// `want` names the signature, or is one that is known.
  OutstandingRun(std::shared_ptr<SessionCore> core, LeaseRequest want, std::vector<Tensor> feeds,
                 const RunOptions& options, Answer answer);
  OutstandingRun(const OutstandingRun&) = delete;
  ~OutstandingRun();

  /// What it runs, by names: set when its options want partition graphs.
  LeaseRequest names;
  /// Of a part of another task's step: StepSlot::cluster_step_id.
  int64_t cluster_step_id = 0;
  /// Called when a run that is debugged has its step id, or has been refused; not when it was over before. On any thread.
  std::function<void()> when_begun;

  /// Counts it in. Not when the session is closed or has no graph: it is answered, with this error.
  absl::Status enter(int stripe);
  /// Begins it on an idle slot of its signature, or asks SESSION for one.
  void begin();

  /// @name SESSION
  const LeaseRequest& want() const { return want_; }
  /// Begins it on this slot, unless it is over. False when it will begin on another thread: a debugger, which is asked first, may take long.
  bool start(StepLease lease);
  /// It has ended well, and this completes it.
  void add_graphs(const absl::StatusOr<PartitionGraphs>& graphs);
  void fail(const absl::Status& status) { answer(status, {}); }

  /// @name From any thread
  /// 0 before it has begun. Its place outlives the run.
  std::shared_ptr<const std::atomic<int64_t>> step_id() const { return step_id_; }
  bool over() const;
  /// It ends with this reason: at once when it has not begun. False when it is over.
  bool cancel(const absl::Status& reason);

 private:
  void begin_on(StepLease lease);
  /// On the thread that ended the step.
  void ended();
  void answer(const absl::Status& status, RunReply reply);

  const std::shared_ptr<SessionCore> core_;
  const LeaseRequest want_;
  const std::vector<Tensor> feeds_;
  const RunOptions options_;
  int64_t cancels_ = 0;
  RunGate::Place place_;
  StepLease lease_;
  int attempt_ = 0;
  RunReply reply_;

  mutable std::mutex mu_;
  Answer answer_;                         // guarded by mu_; empty when it is over
  std::shared_ptr<StepSlot> running_on_;  // guarded by mu_; null before its step begins and after
  const std::shared_ptr<std::atomic<int64_t>> step_id_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace troupe
