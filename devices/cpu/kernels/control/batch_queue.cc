#include "devices/cpu/kernels/control/batch_queue.h"

#include <algorithm>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/function_runner.h"

namespace troupe {

int64_t rows_of(const Batch& batch) {
  int64_t rows = 0;
  for (const BatchPart& part : batch) rows += part.rows();
  return rows;
}

absl::StatusOr<Tensor> join_batch(const Batch& batch, size_t i, int64_t padding, Allocator* allocator) {
  const Tensor& first = batch[0].task->inputs[i];
  for (size_t p = 1; p < batch.size(); ++p) {
    const Tensor& t = batch[p].task->inputs[i];
    bool same = t.dtype() == first.dtype() && t.rank() == first.rank();
    for (int d = 1; same && d < t.rank(); ++d) same = t.dim(d) == first.dim(d);
    if (!same) {
      return invalid("Dimensions of inputs should match: shape[0] = ", first.shape().to_string(),
                     " vs. shape[", p, "] = ", t.shape().to_string());
    }
  }
  if (batch.size() == 1 && batch[0].is_all() && padding == 0) return first;
  std::vector<int64_t> dims = first.shape().to_vector();
  if (__builtin_add_overflow(rows_of(batch), padding, &dims[0])) return invalid("Batch too large");
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(first.dtype(), shape, allocator));
  const int64_t row = count_dims(first.shape(), 1, first.rank());
  int64_t to = 0;
  for (const BatchPart& part : batch) {
    copy_elements(part.task->inputs[i], part.begin * row, out, to, part.rows() * row);
    to += part.rows() * row;
  }
  for (int64_t p = 0; p < padding; ++p, to += row) {
    copy_elements(first, batch[0].begin * row, out, to, row);
  }
  return out;
}

int64_t BatchQueue::padding_of(int64_t rows) const {
  for (int64_t allowed : options_.allowed_rows) {
    if (allowed >= rows) return rows == 0 ? 0 : allowed - rows;
  }
  return 0;
}

absl::Status BatchQueue::place(const std::shared_ptr<BatchTask>& task, Clock::time_point deadline) {
  if (task->rows > options_.max_rows) {
    return invalid("Task size ", task->rows, " is larger than maximum input batch size ", options_.max_rows);
  }
  const bool has_open = !pending_.empty() && !pending_.back().closed;
  const int64_t room = has_open ? limit() - pending_.back().rows : 0;
  const bool joins = has_open && (task->rows <= room || (options_.cut_rows && room > 0));
  const int64_t beyond = joins ? std::max<int64_t>(0, task->rows - room) : std::max<int64_t>(1, task->rows);
  const int64_t more = task->rows == 0 ? !joins : (beyond + limit() - 1) / limit();
  if (more > 0 && static_cast<int64_t>(pending_.size()) + more > std::max(options_.max_batches, more)) {
    return absl::UnavailableError("The batch scheduling queue to which this task was submitted is full");
  }
  if (has_open && !joins) pending_.back().closed = true;
  int64_t begin = 0;
  do {
    if (pending_.empty() || pending_.back().closed) {
      Pending fresh;
      fresh.deadline = deadline;
      pending_.push_back(std::move(fresh));
    }
    Pending& open = pending_.back();
    const int64_t rows = std::min(task->rows - begin, limit() - open.rows);
    open.batch.push_back(BatchPart{task, task->parts.size(), begin, begin + rows});
    task->parts.emplace_back();
    open.rows += rows;
    open.closed = open.rows >= limit();
    begin += rows;
  } while (begin < task->rows);
  task->parts_left = task->parts.size();
  return absl::OkStatus();
}

void BatchQueue::add(const std::shared_ptr<BatchTask>& task) {
  const Clock::time_point deadline = Clock::now() + options_.timeout;
  absl::Status status;
  if (options_.timeout.count() > 0) {
    status = services_of(task->context->step()).timer.at(deadline, [queue = weak_from_this()] {
      if (auto self = queue.lock()) self->begin_batches();
    });
  }
  if (status.ok()) {
    std::lock_guard lock(mu_);
    // Cancelling waits for our lock, and finds the task in a batch.
    task->callback = task->context->cancellation().register_callback(
        [self = shared_from_this(), task] { self->cancel(task); });
    status = task->callback ? place(task, deadline) : absl::CancelledError("Batching was cancelled");
  }
  if (!status.ok()) {
    if (task->callback) task->context->cancellation().deregister(*task->callback);
    return task->end(status);
  }
  begin_batches();
}

void BatchQueue::cancel(const std::shared_ptr<BatchTask>& task) {
  {
    std::lock_guard lock(mu_);
    if (task->begun) return;
    task->begun = true;
    bool found = false;
    for (Pending& p : pending_) {
      const size_t before = p.batch.size();
      std::erase_if(p.batch, [&](const BatchPart& part) { return part.task == task; });
      found |= p.batch.size() != before;
      p.rows = rows_of(p.batch);
    }
    std::erase_if(pending_, [](const Pending& p) { return p.batch.empty(); });
    if (!found) return;
  }
  task->end(absl::CancelledError("Batching was cancelled"));
}

bool BatchQueue::take(Pending* out) {
  std::lock_guard lock(mu_);
  changed_ = false;
  if (running_ >= options_.threads || pending_.empty()) return false;
  Pending& first = pending_.front();
  if (!first.closed && Clock::now() < first.deadline) return false;
  *out = std::move(first);
  pending_.pop_front();
  for (BatchPart& part : out->batch) part.task->begun = true;
  ++running_;
  return true;
}

void BatchQueue::begin_batches() {
  {
    // Whoever is at it already looks again: batches that end at once would call themselves without end.
    std::lock_guard lock(mu_);
    changed_ = true;
    if (beginning_) return;
    beginning_ = true;
  }
  while (true) {
    Pending next;
    if (take(&next)) {
      for (BatchPart& part : next.batch) {
        if (part.number == 0) part.task->context->cancellation().deregister(*part.task->callback);
      }
      const std::shared_ptr<BatchTask> last = next.batch.back().task;
      last->run(std::move(next.batch), padding_of(next.rows), [self = shared_from_this()] {
        {
          std::lock_guard lock(self->mu_);
          --self->running_;
        }
        self->begin_batches();
      });
      continue;
    }
    std::lock_guard lock(mu_);
    if (changed_) continue;
    beginning_ = false;
    return;
  }
}

}  // namespace troupe
