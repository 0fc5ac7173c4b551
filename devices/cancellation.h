#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

namespace troupe {

/// The stop token of a step. Kernels poll `cancelled()` or register a callback. Thread-safe.
class CancellationToken {
 public:
  using Id = uint64_t;

  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  /// Why; OK while not cancelled.
  absl::Status reason() const;

  /// Trips the token: the first reason sticks, callbacks run once each, on this thread, outside the lock.
  void cancel(absl::Status reason);
  /// Ready for the next step. Nobody may be using it.
  void reset();

  /// Calls `fn` when cancelled. Nothing, and fn is not called, when it is cancelled already.
  std::optional<Id> register_callback(std::function<void()> fn);
  /// After it returns fn is not running and will not run. Returns false when fn has run or is running on this very
  /// thread; waits for it when it runs on another.
  bool deregister(Id id);

 private:
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mu_;
  std::condition_variable done_;
  // Guarded by mu_.
  absl::Status reason_;
  absl::flat_hash_map<Id, std::function<void()>> callbacks_;
  Id next_id_ = 1;
  Id running_ = 0;
  std::thread::id runner_;
};

}  // namespace troupe
