#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "actors/step_trace.h"

namespace troupe {

/// A step that was timed and is over.
struct TimedStep {
  int64_t session_id = 0;
  int64_t step_id = 0;
  /// Nanoseconds since the epoch.
  int64_t began_ns = 0;
  int64_t duration_ns = 0;
  absl::StatusCode code = absl::StatusCode::kOk;
  /// What it fetched and ran, shortened.
  std::string label;
};

/// Counts how the steps of a runtime end, how long they take, and picks those that are traced. Thread-safe. Off, it costs a step one load.
/// Where steps are short it times every 32nd of a thread's only, which then counts for all of them: two readings of the clock are a
/// twentieth of a small step.
class StepMeter {
 public:
  /// Upper bounds of the histogram's buckets; the last bucket has none.
  static constexpr std::array<int64_t, 17> kBoundsNs = {
      1'000,         3'000,         10'000,         30'000,         100'000,        300'000,
      1'000'000,     3'000'000,     10'000'000,     30'000'000,     100'000'000,    300'000'000,
      1'000'000'000, 3'000'000'000, 10'000'000'000, 30'000'000'000, 100'000'000'000};
  static constexpr int kCodes = 17;
  /// How many of the last steps, and of the last slow ones, are kept.
  static constexpr size_t kKept = 256, kKeptSlow = 64;

  /// What a run remembers from its begin to its end.
  struct Start {
    /// steady_clock; 0: it is not timed.
    int64_t at_ns = 0;
    int32_t weight = 0;
    int32_t stripe = 0;
    /// It is to collect statistics; and its trace is wanted however long it takes.
    bool traced = false;
    bool sampled = false;
  };
  struct Counts {
    /// By absl::StatusCode; [0] is not counted.
    std::array<int64_t, kCodes> errors{};
    /// Of each bucket alone; estimates where not every step is timed.
    std::array<int64_t, kBoundsNs.size() + 1> steps{};
    int64_t total_ns = 0;
  };
  /// Which runs are traced, and who gets the traces, on the thread that ends the run: it must not block.
  struct Tracing {
    /// Every so many runs; 0: none for their number.
    int64_t every = 0;
    /// Those that take longer, too; zero: none for their length. Collects statistics of every run.
    std::chrono::nanoseconds slow_after{0};
    std::function<void(std::shared_ptr<const StepTrace>)> sink;
  };

  /// From now on steps are counted, until as many calls of unwatch. The last `slow_after` holds for all.
  void watch(std::chrono::nanoseconds slow_after);
  void unwatch();
  /// AlreadyExists when somebody traces.
  absl::Status begin_tracing(Tracing tracing);
  void end_tracing();

  /// A step begins on a thread of that stripe (RunGate::stripe_of_thread).
  Start begin(int stripe) {
    if (watchers_.load(std::memory_order_relaxed) == 0) [[likely]]
      return {};
    return begin_watched(stripe);
  }
  bool watched() const { return watchers_.load(std::memory_order_relaxed) != 0; }
  /// It is over. `step` has its ids and code, and gets the rest when it was timed; `fetches` and `targets` are what it was asked for.
  /// True when its trace is wanted.
  bool end(const Start& start, TimedStep* step, const std::vector<std::string>& fetches,
           const std::vector<std::string>& targets);
  void deliver(std::shared_ptr<const StepTrace> trace);
  /// A run that failed before it had a step.
  void refused(const absl::Status& status);

  Counts counts() const;
  /// The last steps that were timed, and those of them that took long, oldest first.
  std::vector<TimedStep> recent() const { return recent_.all(); }
  std::vector<TimedStep> slow() const { return slow_.all(); }

  /// @name Runs of sessions that are gone, so that the sum over all sessions only grows
  void add_gone_runs(int64_t runs) { gone_runs_.fetch_add(runs, std::memory_order_relaxed); }
  int64_t gone_runs() const { return gone_runs_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kStripes = 16;
  static constexpr int32_t kTimedEvery = 32;
  /// Steps of a thread that are longer are all timed: the clock is a three-hundredth of them.
  static constexpr int64_t kLongNs = 32'000;
  struct alignas(64) Stripe {
    /// Steps to go until one is timed; threads that share it may lose some.
    std::atomic<int32_t> left{0};
    std::atomic<int32_t> every{1};
    std::atomic<int64_t> total_ns{0};
    std::array<std::atomic<int64_t>, kBoundsNs.size() + 1> steps{};
  };
  /// The last steps.
  class Ring {
   public:
    explicit Ring(size_t size) : size_(size) {}
    void add(TimedStep step);
    std::vector<TimedStep> all() const;

   private:
    const size_t size_;
    mutable std::mutex mu_;
    std::vector<TimedStep> steps_;  // guarded by mu_
    size_t next_ = 0;               // guarded by mu_
  };

  Start begin_watched(int stripe);

  std::atomic<int> watchers_{0};
  std::atomic<int64_t> slow_after_ns_{INT64_MAX};
  std::atomic<int64_t> trace_every_{0};
  std::atomic<int64_t> trace_slow_ns_{0};
  std::atomic<uint64_t> trace_count_{0};
  std::atomic<int64_t> gone_runs_{0};
  std::array<Stripe, kStripes> stripes_;
  std::array<std::atomic<int64_t>, kCodes> errors_{};
  Ring recent_{kKept}, slow_{kKeptSlow};
  mutable std::mutex sink_mu_;
  std::shared_ptr<const Tracing> tracing_;  // guarded by sink_mu_
};

}  // namespace troupe
