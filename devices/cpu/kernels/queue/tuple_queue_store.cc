// What a queue stores, and how each kind takes from it when a request has its turn.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/queue/tuple_queue.h"

namespace troupe {
namespace {

/// Orders the heap of a priority queue. Which of equals leaves first is the heap's affair, as in TensorFlow.
bool comes_later(const Queue::Tuple& a, const Queue::Tuple& b) {
  return a[0].value<int64_t>() > b[0].value<int64_t>();
}

}  // namespace

absl::Status Queue::closed_and_short(int64_t requested, int64_t size) const {
  return absl::OutOfRangeError(absl::StrCat(queue_kind_name(options_.kind), " '", name_,
                                            "' is closed and has insufficient elements (requested ",
                                            requested, ", current size ", size, ")"));
}

Queue::Progress Queue::run_enqueue(Attempt& attempt) {
  if (closed_) {
    attempt.status =
        absl::CancelledError(absl::StrCat(queue_kind_name(options_.kind), " '", name_, "' is closed."));
    return Progress::kComplete;
  }
  Progress progress = Progress::kNone;
  while (options_.capacity < 0 || static_cast<int64_t>(stored_.size()) < options_.capacity) {
    push(std::move(attempt.tuples.front()));
    attempt.tuples.pop_front();
    progress = Progress::kSome;
    if (--attempt.wanted == 0) return Progress::kComplete;
  }
  return progress;
}

int64_t Queue::takeable() const {
  const int64_t size = static_cast<int64_t>(stored_.size());
  return closed_ || options_.kind != QueueKind::kRandomShuffle ? size : size - options_.min_after_dequeue;
}

Queue::Progress Queue::run_dequeue(Attempt& attempt) {
  if (closed_ && stored_.empty()) {
    attempt.status = closed_and_short(1, 0);
    return Progress::kComplete;
  }
  if (takeable() <= 0) return Progress::kNone;
  attempt.tuples.push_back(pop());
  return Progress::kComplete;
}

Queue::Progress Queue::run_dequeue_many(Attempt& attempt) {
  const int64_t size = static_cast<int64_t>(stored_.size());
  // TensorFlow's priority queues never give the rest: they take what there is, and then find that it is too
  // little.
  const bool gives_rest = attempt.up_to && options_.kind != QueueKind::kPriority;
  if (closed_ && size < attempt.wanted && (size == 0 || gives_rest || !attempt.up_to)) {
    const int64_t lacking = attempt.wanted;
    attempt.wanted += static_cast<int64_t>(attempt.tuples.size());
    put_back(std::exchange(attempt.tuples, {}));
    if (gives_rest && !stored_.empty()) {
      attempt.wanted = static_cast<int64_t>(stored_.size());
    } else {
      attempt.status = closed_and_short(lacking, size);
      return Progress::kComplete;
    }
  }
  Progress progress = Progress::kNone;
  for (int64_t n = takeable(); n > 0; --n) {
    attempt.tuples.push_back(pop());
    progress = Progress::kSome;
    if (--attempt.wanted == 0) return Progress::kComplete;
  }
  return progress;
}

void Queue::push(Tuple tuple) {
  stored_.push_back(std::move(tuple));
  if (options_.kind == QueueKind::kPriority) std::push_heap(stored_.begin(), stored_.end(), comes_later);
}

Queue::Tuple Queue::pop() {
  bool last = true;
  switch (options_.kind) {
    case QueueKind::kRandomShuffle: std::swap(stored_[random_() % stored_.size()], stored_.back()); break;
    case QueueKind::kPriority: std::pop_heap(stored_.begin(), stored_.end(), comes_later); break;
    default: last = false;
  }
  Tuple tuple = std::move(last ? stored_.back() : stored_.front());
  if (last) {
    stored_.pop_back();
  } else {
    stored_.pop_front();
  }
  return tuple;
}

void Queue::put_back(std::deque<Tuple> tuples) {
  while (!tuples.empty()) {
    if (options_.kind == QueueKind::kFifo || options_.kind == QueueKind::kPaddingFifo) {
      stored_.push_front(std::move(tuples.back()));
    } else {
      push(std::move(tuples.back()));
    }
    tuples.pop_back();
  }
}

}  // namespace troupe
