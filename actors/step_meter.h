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
#include "actors/step/node_timing.h"
#include "actors/step_history.h"
#include "actors/step_trace.h"

namespace troupe {

/// Counts how the steps of a runtime end, how long they take, and picks those that are traced. Thread-safe. Off, it costs a step one load;
/// on, a step that is not picked a counter of its thread's stripe. Where many steps begin few of them are timed, at random, each for all
/// since the last: two readings of the clock are a tenth of a small step.
class StepMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Upper bounds of the histogram's buckets; the last bucket has none.
  static constexpr std::array<int64_t, 17> kBoundsNs = {
      1'000,         3'000,         10'000,         30'000,         100'000,        300'000,
      1'000'000,     3'000'000,     10'000'000,     30'000'000,     100'000'000,    300'000'000,
      1'000'000'000, 3'000'000'000, 10'000'000'000, 30'000'000'000, 100'000'000'000};
  static constexpr int kCodes = 17;
  /// How many of the last steps, and of the last slow ones, are kept.
  static constexpr size_t kKept = 256, kKeptSlow = 64;
  /// Slow runs are told by the coarse clock, which may be wrong by a tick, where slow is as long; else each is timed.
  static constexpr int64_t kCoarseNs = 20'000'000;

  /// What a run remembers from its begin to its end.
  struct Start {
    /// steady_clock; 0: it is not timed.
    int64_t at_ns = 0;
    /// How long it may take until it is traced for that; 0: for ever.
    int64_t slow_ns = 0;
    /// How many runs it stands for in the histogram.
    int32_t weight = 0, stripe = 0;
    /// It is to record what its nodes do; and its trace is wanted however long it takes.
    bool traced = false, sampled = false;
  };
  /// What ran.
  struct Run {
    const std::vector<std::string>& fetches;
    const std::vector<std::string>& targets;
    int64_t nodes_run = 0;
    /// By coarse_now.
    Time began;
    /// Its signature's, as for `begin`.
    std::atomic<int32_t>& to_record;
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
    /// The first run of each stripe, and every so many after; 0: none for their number.
    int64_t every = 0;
    /// Those that take longer, too; zero: none for their length. What their nodes did is told of those that recorded it (`begin`).
    std::chrono::nanoseconds slow_after{0};
    std::function<void(std::shared_ptr<const StepTrace>)> sink;
  };

  /// From now on steps are counted, until as many calls of unwatch. The last `slow_after` holds for all.
  void watch(std::chrono::nanoseconds slow_after);
  void unwatch();
  /// AlreadyExists when somebody traces.
  absl::Status begin_tracing(Tracing tracing);
  void end_tracing();

  /// A step begins on a thread of that stripe (RunGate::stripe_of_thread), now by coarse_now. `to_record`: how many of its signature's next runs record what
  /// their nodes do, while slow ones are traced; 1 at first. `end` raises it after a run that was slow, and after one so long that it would not have
  /// felt it: a trace that nobody wants would cost small steps as much as they take.
  Start begin(int stripe, Time now, std::atomic<int32_t>& to_record) {
    if (watchers_.load(std::memory_order_relaxed) == 0) [[likely]]
      return {};
    Stripe& s = stripes_[stripe % kStripes];
    const int32_t left = s.left.load(std::memory_order_relaxed) - 1;
    s.left.store(left, std::memory_order_relaxed);
    const int64_t slow_ns = trace_slow_ns_.load(std::memory_order_relaxed);
    if (left > 0 && slow_ns == 0 && now < s.pick_at.load(std::memory_order_relaxed)) [[likely]]
      return {};
    return begin_picked(stripe % kStripes, left, now, to_record);
  }
  bool watched() const { return watchers_.load(std::memory_order_relaxed) != 0; }
  /// Whether `end` is to hear of a step that has ended, well or not.
  bool wants(const Start& start, bool ok, Time began) const {
    if (start.at_ns != 0) return true;
    if (!ok) return watched();
    return start.slow_ns != 0 && (coarse_now() - began) / std::chrono::nanoseconds(1) >= start.slow_ns;
  }
  /// It is over. `step` has its ids and code, and gets the rest when it was timed, or slow. True when its trace is wanted.
  bool end(const Start& start, TimedStep* step, const Run& run);
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
  /// Of what `left` counts down threads that share a stripe may lose some.
  struct alignas(64) Stripe {
    /// Runs until one is picked, that one included, and what it was when the last was.
    std::atomic<int32_t> left{0}, span{0};
    /// The next after this is picked in any case.
    std::atomic<Time> pick_at{};
    /// Runs until one is timed, as of the last that was picked, and of how many it was to be the last; when the last was timed.
    std::atomic<int32_t> till_timed{0}, gap{0};
    std::atomic<int64_t> timed_ns{0};
    std::atomic<uint32_t> random{0x9e3779b9};
    /// Until one is sampled, and for which tracing.
    std::atomic<int64_t> till_sampled{0}, tracing{0};
    std::atomic<int64_t> total_ns{0};
    std::array<std::atomic<int64_t>, kBoundsNs.size() + 1> steps{};
  };

  Start begin_picked(int stripe, int32_t left, Time now, std::atomic<int32_t>& to_record);
  void pick(Stripe& s, int32_t left, bool late, Start* start);
  void time(Stripe& s, int32_t since_timed, Start* start);
  void count(const Start& start, int64_t duration_ns);

  std::atomic<int> watchers_{0};
  std::atomic<int64_t> trace_slow_ns_{0}, trace_every_{0}, tracings_{0}, slow_after_ns_{INT64_MAX};
  std::array<Stripe, kStripes> stripes_;
  std::array<std::atomic<int64_t>, kCodes> errors_{};
  std::atomic<int64_t> gone_runs_{0};
  StepHistory recent_{kKept}, slow_{kKeptSlow};
  mutable std::mutex sink_mu_;
  std::shared_ptr<const Tracing> tracing_;  // guarded by sink_mu_
};

}  // namespace troupe
