#include "devices/cpu/kernels/queue/async_waiters.h"

#include "absl/status/status.h"
#include "graph/thrown.h"

namespace troupe {

void Waiters::add(CancellationToken& token, std::string cancelled_text, Attempt attempt, Done done) {
  bool waits = false;
  {
    std::lock_guard lock(*mu_);
    const uint64_t id = ++last_id_;
    // Cancelling calls back outside the token's lock, and then waits for ours: the request is in line by
    // then.
    auto callback = token.register_callback([self = shared_from_this(), id] { self->cancel(id); });
    if (callback) {
      waits = true;
      Request r;
      r.id = id;
      r.token = &token;
      r.callback = *callback;
      r.cancelled_text = cancelled_text;
      r.attempt = std::move(attempt);
      r.done = std::move(done);
      requests_.push_back(std::move(r));
    }
  }
  if (!waits) return done(absl::CancelledError(cancelled_text));
  serve();
}

/// What it throws is the error of its own kernel, not of the one that serves it.
bool Waiters::is_over(Request* request) {
  bool over = true;
  absl::Status thrown = guarded("a waiting kernel", [&] {
    over = request->attempt(&request->status);
    return absl::OkStatus();
  });
  if (!thrown.ok()) request->status = std::move(thrown);
  return over;
}

void Waiters::serve() {
  std::list<Request> finished;
  {
    std::lock_guard lock(*mu_);
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto it = requests_.begin(); it != requests_.end();) {
        auto next = std::next(it);
        if (is_over(&*it)) {
          finished.splice(finished.end(), requests_, it);
          changed = true;
        } else if (in_order_) {
          break;
        }
        it = next;
      }
    }
  }
  for (Request& r : finished) {
    r.token->deregister(r.callback);
    r.attempt = nullptr;
    Done done = std::move(r.done);
    // Each answers for what it throws: the others are to hear all the same.
    (void)guarded("a waiting kernel", [&] {
      done(std::move(r.status));
      return absl::OkStatus();
    });
  }
}

void Waiters::cancel(uint64_t id) {
  std::list<Request> cancelled;
  {
    std::lock_guard lock(*mu_);
    for (auto it = requests_.begin(); it != requests_.end(); ++it) {
      if (it->id != id) continue;
      cancelled.splice(cancelled.end(), requests_, it);
      break;
    }
  }
  if (cancelled.empty()) return;
  Done done = std::move(cancelled.front().done);
  done(absl::CancelledError(cancelled.front().cancelled_text));
  serve();
}

}  // namespace troupe
