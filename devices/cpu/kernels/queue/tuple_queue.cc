#include "devices/cpu/kernels/queue/tuple_queue.h"

#include <algorithm>
#include <random>

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "graph/thrown.h"

namespace troupe {

std::string type_list(const std::vector<DataType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, DataType t) { out->append(dtype_name(t)); });
}

std::string shape_list(const std::vector<PartialShape>& shapes) {
  return absl::StrCat(
      "[",
      absl::StrJoin(shapes, ", ",
                    [](std::string* out, const PartialShape& s) { out->append(s.to_string()); }),
      "]");
}

std::vector<PartialShape> whole_shapes(std::vector<PartialShape> shapes) {
  for (PartialShape& s : shapes) {
    if (!s.known_rank()) s = PartialShape(Shape());
  }
  return shapes;
}

const char* queue_kind_name(QueueKind kind) {
  switch (kind) {
    case QueueKind::kFifo: return "FIFOQueue";
    case QueueKind::kPaddingFifo: return "PaddingFIFOQueue";
    case QueueKind::kRandomShuffle: return "RandomShuffleQueue";
    case QueueKind::kPriority: return "PriorityQueue";
  }
  return "Queue";
}

absl::StatusOr<std::shared_ptr<Queue>> Queue::make(std::string name, Options options) {
  if (!options.shapes.empty() && options.shapes.size() != options.types.size()) {
    return invalid("Different number of component types.  Types: ", type_list(options.types),
                   ", Shapes: ", shape_list(options.shapes));
  }
  if (options.kind == QueueKind::kPaddingFifo) {
    if (options.shapes.empty()) return invalid("PaddingFIFOQueue requires shapes of its components");
    for (const PartialShape& s : options.shapes) {
      if (!s.known_rank())
        return invalid("PaddingFIFOQueue requires components of known rank, but got ", s.to_string());
    }
  } else {
    for (const PartialShape& s : options.shapes) {
      if (!s.to_shape()) {
        return invalid("Attr shapes of ", queue_kind_name(options.kind), " must be fully defined, but got ",
                       s.to_string());
      }
    }
  }
  if (options.min_after_dequeue < 0) {
    return invalid("min_after_dequeue ", options.min_after_dequeue, " must be >= 0");
  }
  if (options.capacity >= 0 && options.min_after_dequeue >= options.capacity &&
      options.kind == QueueKind::kRandomShuffle) {
    return invalid("min_after_dequeue ", options.min_after_dequeue, " must be < capacity ", options.capacity);
  }
  uint64_t seed = static_cast<uint64_t>(options.seed), seed2 = static_cast<uint64_t>(options.seed2);
  if (seed == 0 && seed2 == 0) {
    std::random_device random;
    seed = (uint64_t{random()} << 32) | random();
    seed2 = (uint64_t{random()} << 32) | random();
  }
  return std::make_shared<Queue>(std::move(name), std::move(options), Philox(seed, seed2));
}

Queue::Queue(std::string name, Options options, Philox random)
    : name_(std::move(name)), options_(std::move(options)), generator_(random), random_(&generator_) {}

absl::Status Queue::check_same(const Options& wanted, const std::string& node, const std::string& op) const {
  if (wanted.kind != options_.kind) {
    return invalid("Shared queue '", name_, "' has type '", queue_kind_name(options_.kind),
                   "' that does not match type of Node '", node, "': ", op);
  }
  if (wanted.capacity != options_.capacity && (wanted.capacity >= 0 || options_.capacity >= 0)) {
    return invalid("Shared queue '", name_, "' has capacity ", options_.capacity,
                   " but requested capacity was ", wanted.capacity);
  }
  if (wanted.min_after_dequeue != options_.min_after_dequeue) {
    return invalid("Shared queue '", name_, "' has min_after_dequeue ", options_.min_after_dequeue,
                   " but requested min_after_dequeue was ", wanted.min_after_dequeue, ".");
  }
  if ((wanted.seed != 0 || wanted.seed2 != 0) &&
      (wanted.seed != options_.seed || wanted.seed2 != options_.seed2)) {
    return invalid("Shared queue '", name_, "' has random seeds (", options_.seed, ", ", options_.seed2,
                   ") but requested seeds are (", wanted.seed, ", ", wanted.seed2, ").");
  }
  if (wanted.types != options_.types) {
    return invalid("Shared queue '", name_, "' has component types ", type_list(options_.types),
                   " but requested component types were ", type_list(wanted.types));
  }
  if (!same_shapes(wanted.shapes)) {
    return invalid("Shared queue '", name_, "' has component shapes ", shape_list(options_.shapes),
                   " but requested component shapes were ", shape_list(wanted.shapes));
  }
  return absl::OkStatus();
}

bool Queue::same_shapes(const std::vector<PartialShape>& wanted) const {
  if (options_.kind != QueueKind::kPaddingFifo) return wanted == options_.shapes;
  return std::equal(wanted.begin(), wanted.end(), options_.shapes.begin(), options_.shapes.end(),
                    [](const PartialShape& a, const PartialShape& b) { return a.compatible_with(b); });
}

void Queue::enqueue(CancellationToken& token, Tuple tuple, Done done) {
  if (absl::Status s = check_tuple(tuple); !s.ok()) return done(std::move(s));
  Attempt attempt;
  attempt.wanted = 1;
  attempt.tuples.push_back(std::move(tuple));
  attempt.run = [this](Attempt& a) { return run_enqueue(a); };
  attempt.done = [done = std::move(done)](absl::Status s, Tuple) { done(std::move(s)); };
  start(&enqueues_, token, std::move(attempt));
}

void Queue::enqueue_many(CancellationToken& token, const Tuple& rows, Done done) {
  if (absl::Status s = check_rows(rows); !s.ok()) return done(std::move(s));
  auto tuples = split_rows(rows);
  if (!tuples.ok()) return done(tuples.status());
  if (tuples->empty()) return done(absl::OkStatus());
  Attempt attempt;
  attempt.wanted = static_cast<int64_t>(tuples->size());
  attempt.tuples = *std::move(tuples);
  attempt.run = [this](Attempt& a) { return run_enqueue(a); };
  attempt.done = [done = std::move(done)](absl::Status s, Tuple) { done(std::move(s)); };
  start(&enqueues_, token, std::move(attempt));
}

void Queue::dequeue(CancellationToken& token, DoneWithTuple done) {
  Attempt attempt;
  attempt.wanted = 1;
  attempt.run = [this](Attempt& a) { return run_dequeue(a); };
  attempt.done = std::move(done);
  start(&dequeues_, token, std::move(attempt));
}

void Queue::dequeue_many(CancellationToken& token, int64_t count, bool up_to, DoneWithTuple done) {
  if (options_.shapes.empty()) {
    return done(invalid(queue_kind_name(options_.kind),
                        "'s DequeueMany and DequeueUpTo require the components to have specified shapes."),
                {});
  }
  if (count == 0) {
    auto none = join({});
    if (!none.ok()) return done(none.status(), {});
    return done(absl::OkStatus(), *std::move(none));
  }
  Attempt attempt;
  attempt.wanted = count;
  attempt.up_to = up_to;
  attempt.joined = true;
  attempt.run = [this](Attempt& a) { return run_dequeue_many(a); };
  attempt.done = std::move(done);
  start(&dequeues_, token, std::move(attempt));
}

void Queue::close(CancellationToken& token, bool cancel_pending_enqueues, Done done) {
  if (!cancel_pending_enqueues) {
    Attempt attempt;
    attempt.run = [this](Attempt& a) {
      if (closed_) a.status = absl::CancelledError(absl::StrCat("Queue '", name_, "' is already closed."));
      closed_ = true;
      return Progress::kComplete;
    };
    attempt.done = [done = std::move(done)](absl::Status s, Tuple) { done(std::move(s)); };
    return start(&enqueues_, token, std::move(attempt));
  }
  Attempts dying;
  {
    std::lock_guard lock(mu_);
    closed_ = true;
    dying.swap(enqueues_);
    for (Attempt& a : dying) a.status = absl::CancelledError("Enqueue operation was cancelled");
  }
  finish(shared_from_this(), std::move(dying));
  flush();
  done(absl::OkStatus());
}

int64_t Queue::size() const {
  std::lock_guard lock(mu_);
  return static_cast<int64_t>(stored_.size());
}

bool Queue::is_closed() const {
  std::lock_guard lock(mu_);
  return closed_;
}

void Queue::start(Attempts* line, CancellationToken& token, Attempt attempt) {
  DoneWithTuple refused;
  {
    std::lock_guard lock(mu_);
    const uint64_t id = ++last_id_;
    // Cancelling calls back outside the token's lock, and then waits for ours: the attempt is in line by
    // then.
    auto callback =
        token.register_callback([self = shared_from_this(), line, id] { self->cancel(line, id); });
    if (callback) {
      attempt.id = id;
      attempt.token = &token;
      attempt.callback = *callback;
      line->push_back(std::move(attempt));
    } else {
      refused = std::move(attempt.done);
    }
  }
  if (refused) {
    return refused(absl::CancelledError(line == &enqueues_ ? "Enqueue operation was cancelled"
                                                           : "Dequeue operation was cancelled"),
                   {});
  }
  flush();
}

void Queue::cancel(Attempts* line, uint64_t id) {
  Attempts cancelled;
  {
    std::lock_guard lock(mu_);
    auto it = std::find_if(line->begin(), line->end(), [&](const Attempt& a) { return a.id == id; });
    if (it == line->end()) return;
    cancelled.splice(cancelled.begin(), *line, it);
    Attempt& a = cancelled.front();
    const bool enqueues = line == &enqueues_;
    a.status = absl::CancelledError(enqueues ? "Enqueue operation was cancelled"
                                             : "Dequeue operation was cancelled");
    a.token = nullptr;  // its callback is this one
    if (!enqueues) put_back(std::exchange(a.tuples, {}));
  }
  finish(shared_from_this(), std::move(cancelled));
  flush();
}

void Queue::flush() {
  Attempts finished;
  {
    std::lock_guard lock(mu_);
    bool changed = true;
    while (changed) {
      changed = advance(&enqueues_, &finished);
      changed = advance(&dequeues_, &finished) || changed;
    }
  }
  if (!finished.empty()) finish(shared_from_this(), std::move(finished));
}

/// What it throws is the error of its own kernel, not of the one that serves it.
Queue::Progress Queue::attempt_once(Attempt& attempt) {
  Progress progress = Progress::kComplete;
  absl::Status thrown = guarded("a queue's kernel", [&] {
    progress = attempt.run(attempt);
    return absl::OkStatus();
  });
  if (!thrown.ok()) attempt.status = std::move(thrown);
  return progress;
}

bool Queue::advance(Attempts* line, Attempts* finished) {
  bool progress = false;
  while (!line->empty()) {
    const Progress p = attempt_once(line->front());
    if (p == Progress::kNone) return progress;
    progress = true;
    if (p == Progress::kSome) return progress;
    finished->splice(finished->end(), *line, line->begin());
  }
  return progress;
}

void Queue::finish(const std::shared_ptr<Queue>& self, Attempts finished) {
  for (Attempt& a : finished) {
    if (a.token != nullptr) a.token->deregister(a.callback);
    Tuple result;
    if (a.status.ok() && a.joined) {
      a.status = guarded("a queue's kernel", [&]() -> absl::Status {
        TROUPE_ASSIGN_OR_RETURN(result, self->join(a.tuples));
        return absl::OkStatus();
      });
    } else if (a.status.ok() && !a.tuples.empty()) {
      result = std::move(a.tuples.front());
    }
    a.tuples.clear();
    DoneWithTuple done = std::move(a.done);
    // Each answers for what it throws: the others are to hear all the same.
    (void)guarded("a queue's kernel", [&] {
      done(std::move(a.status), std::move(result));
      return absl::OkStatus();
    });
  }
}

}  // namespace troupe
