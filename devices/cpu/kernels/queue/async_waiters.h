#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "devices/cancellation.h"

namespace troupe {

/// Requests to a shared object that wait, without a thread, until they can be met. The owner keeps one beside
/// its mutex and calls `serve` after every change. Done callbacks are called exactly once, outside the lock.
class Waiters : public std::enable_shared_from_this<Waiters> {
 public:
  /// Called under the lock; true when the request is over, with its result in `status`.
  using Attempt = std::function<bool(absl::Status* status)>;
  using Done = std::function<void(absl::Status)>;

  /// `in_order`: nobody is served before those who came earlier. `mu` is the owner's; the attempts keep the
  /// owner alive.
  Waiters(std::mutex* mu, bool in_order) : mu_(mu), in_order_(in_order) {}

  /// Serves the request now or later; Cancelled `cancelled_text` when the token trips first.
  void add(CancellationToken& token, std::string cancelled_text, Attempt attempt, Done done);
  /// Serves whoever can be.
  void serve();

 private:
  struct Request {
    uint64_t id = 0;
    CancellationToken* token = nullptr;
    CancellationToken::Id callback = 0;
    std::string cancelled_text;
    Attempt attempt;
    Done done;
    absl::Status status;
  };

  static bool is_over(Request* request);
  void cancel(uint64_t id);

  std::mutex* const mu_;
  const bool in_order_;
  // Guarded by *mu_.
  uint64_t last_id_ = 0;
  std::list<Request> requests_;
};

}  // namespace troupe
