#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// A part of a signature that is registered with another task: forgotten there when the last reference goes.
class RemotePart {
 public:
  virtual ~RemotePart() = default;
  /// "/job:worker/replica:0/task:1"
  const std::string& task() const { return task_; }
  int num_nodes() const { return num_nodes_; }
  /// Positions among the signature's sorted feeds and fetches.
  const std::vector<int>& args() const { return args_; }
  const std::vector<int>& retvals() const { return retvals_; }

  struct Step {
    /// The session's, the same on all tasks.
    int64_t id = 0;
    /// By position in `args`.
    std::vector<Tensor> args;
    std::chrono::steady_clock::time_point deadline = {};
    bool collect_stats = false;
  };
  struct End {
    absl::Status status;
    int64_t nodes_run = 0;
    /// By position in `retvals`; empty ones are tensors without type.
    std::vector<Tensor> retvals;
    /// Serialized StepStats of the task, when they were asked for; times are by the clock of this process.
    std::string step_stats;
  };
  /// Runs it. `done` is called once, on any thread: with Unavailable that names the task when that is lost, Aborted when it has been
  /// started again since.
  virtual void run(Step step, std::function<void(End)> done) const = 0;
  /// Ends that step there; it is done then.
  virtual void cancel(int64_t step_id, const absl::Status& why) const = 0;
  /// What is not done of that step, as lines of a report. `done` as that of `run`.
  virtual void inspect(int64_t step_id, std::function<void(std::vector<std::string>)> done) const = 0;

 protected:
  RemotePart(std::string task, int num_nodes, std::vector<int> args, std::vector<int> retvals)
      : task_(std::move(task)), num_nodes_(num_nodes), args_(std::move(args)), retvals_(std::move(retvals)) {}

 private:
  const std::string task_;
  const int num_nodes_;
  const std::vector<int> args_;
  const std::vector<int> retvals_;
};

}  // namespace troupe
