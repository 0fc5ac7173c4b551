#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "devices/cuda/stream.h"

namespace troupe {

/// Turns points of streams into calls: one thread for all GPUs of a machine, which asks for the first open point of each stream, rests a little
/// when none is reached, and sleeps when there are none. A stream's owner calls `drain` before it goes. Thread-safe.
class EventPoller {
 public:
  using Call = std::function<void(absl::Status)>;
  /// How long it rests at most between two rounds while there are open points; TensorFlow's default (polling_active_delay_usecs).
  static constexpr std::chrono::microseconds kLongestRest{10};

  explicit EventPoller(std::chrono::microseconds longest_rest = kLongestRest) : longest_rest_(longest_rest) {}
  /// As stop.
  ~EventPoller();
  EventPoller(const EventPoller&) = delete;

  /// Calls `call` once, when the point is reached or, with the error, when its GPU turns out to be lost; from the poller's thread, which it must
  /// not hold up. What it throws is dropped. Calls of one stream come in the order of `watch`. Where no thread can be had, or after `stop`, waits
  /// for the point and calls at once.
  void watch(Point point, Call call);
  /// Waits until all points of the stream are reached and their calls, with all that these hold, are gone; not from a call.
  void drain(const Stream& stream);
  /// Waits until all points are reached and their calls are over, and joins the thread; not from a call.
  void stop();
  /// How often streams were asked: none are while nothing is open.
  int64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }

 private:
  struct Watch {
    Point point;
    Call call;
  };

  /// False when there can be no thread. With mu_ held.
  bool has_thread();
  void serve();
  /// Asks each stream for its first points, and calls those that are reached. True when any was.
  bool round();
  void finish(Watch watch, absl::Status status);

  const std::chrono::microseconds longest_rest_;
  std::mutex mu_;
  std::condition_variable changed_;
  // Guarded by mu_.
  std::deque<Watch> arrived_;
  /// Watches that are not over, by stream; none with 0.
  absl::flat_hash_map<const Stream*, int64_t> pending_;
  std::condition_variable drained_;
  std::thread thread_;
  bool stopping_ = false;

  // The thread's own.
  absl::flat_hash_map<const Stream*, std::deque<Watch>> open_;
  std::atomic<int64_t> rounds_{0};
};

}  // namespace troupe
