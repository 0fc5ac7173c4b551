#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "devices/kernel.h"
#include "devices/resource_manager.h"
#include "devices/timer.h"

namespace troupe {

struct BatchPart;

/// One execution of a node that waits to become part of a batch: rows of its inputs are put behind those of others.
struct BatchTask {
  /// Runs a batch that ends with this task, and calls `over` once, on any thread.
  using Run = std::function<void(std::vector<BatchPart> batch, int64_t padding, std::function<void()> over)>;

  BatchTask(KernelContext* c, AsyncKernel::Done d) : context(c), done(std::move(d)) {}

  /// Tells who waits for it how it ended, holding none of its tensors any more: what they are made of may go with its step.
  void end(const absl::Status& how) {
    inputs.clear();
    parts.clear();
    done(how);
  }

  KernelContext* const context;
  AsyncKernel::Done done;
  std::vector<Tensor> inputs;
  int64_t rows = 0;
  Run run;
  /// How it may still be cancelled: not once a batch with it has begun.
  std::optional<CancellationToken::Id> callback;
  bool begun = false;

  std::mutex mu;
  // Guarded by mu. The outputs of its parts, by part, and how many parts are not done.
  std::vector<std::vector<Tensor>> parts;
  size_t parts_left = 0;
  absl::Status status;
};

/// Some rows of a task.
struct BatchPart {
  std::shared_ptr<BatchTask> task;
  size_t number = 0;
  int64_t begin = 0;
  int64_t end = 0;

  int64_t rows() const { return end - begin; }
  bool is_all() const { return rows() == task->rows; }
};
using Batch = std::vector<BatchPart>;

int64_t rows_of(const Batch& batch);
/// Input `i` of all parts, one behind the other, then `padding` copies of the first row. InvalidArgument "Dimensions of inputs should
/// match: ...".
absl::StatusOr<Tensor> join_batch(const Batch& batch, size_t i, int64_t padding, Allocator* allocator);

/// Tasks of several steps put together: a batch is run when it is full, or has waited long enough, and one of the threads
/// that the options speak of is free. Thread-safe.
class BatchQueue final : public Resource, public std::enable_shared_from_this<BatchQueue> {
 public:
  static constexpr const char* kTypeName = "BatchResource";

  struct Options {
    int64_t threads = 1;
    int64_t max_rows = 1;
    std::chrono::microseconds timeout{0};
    int64_t max_batches = 1;
    /// Rows of batches that are run, when larger tasks are cut; else max_rows.
    std::optional<int64_t> cut_rows;
    /// Rows that a batch may have; the next larger number is chosen. Empty: any.
    std::vector<int64_t> allowed_rows;
  };
  explicit BatchQueue(Options options) : options_(std::move(options)) {}
  std::string type_name() const override { return kTypeName; }

  /// Calls the task's `done` when it is refused or cancelled before a batch with it begins. InvalidArgument "Task size 5 is
  /// larger than maximum input batch size 4", Unavailable "The batch scheduling queue to which this task was submitted is
  /// full", ResourceExhausted when there is no clock to be had.
  void add(const std::shared_ptr<BatchTask>& task);

 private:
  using Clock = Timer::Clock;
  struct Pending {
    Batch batch;
    int64_t rows = 0;
    bool closed = false;
    Clock::time_point deadline;
  };

  int64_t limit() const { return options_.cut_rows.value_or(options_.max_rows); }
  int64_t padding_of(int64_t rows) const;
  /// `deadline`: of a batch that begins with the task.
  absl::Status place(const std::shared_ptr<BatchTask>& task, Clock::time_point deadline);
  void cancel(const std::shared_ptr<BatchTask>& task);
  void begin_batches();
  bool take(Pending* out);

  const Options options_;
  std::mutex mu_;
  // Guarded by mu_.
  std::deque<Pending> pending_;
  int64_t running_ = 0;
  bool beginning_ = false;
  bool changed_ = false;
};

}  // namespace troupe
