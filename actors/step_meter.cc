#include "actors/step_meter.h"

#include <algorithm>

namespace troupe {
namespace {

/// One run of a stripe is timed in so long, about: timing and keeping one takes 0.2 us.
constexpr int64_t kTimedEveryNs = 64'000;
/// The most runs of which one is timed, on average.
constexpr int64_t kMostMeanGap = 256;
/// A run is timed when none was for so long: where short runs were, long ones may come.
constexpr std::chrono::milliseconds kLookAgain{100};
/// Of a signature whose run was slow, or long for what it ran, so many of the next record what their nodes do: the last may be chance.
constexpr int32_t kRecordedAfterSlow = 64, kRecordedAfterLong = 4;
/// Long for a node: recording one takes some 0.15 us.
constexpr int64_t kLongNodeNs = 10'000;

int64_t steady_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

int code_of(absl::StatusCode code) {
  const int n = static_cast<int>(code);
  return n >= 0 && n < StepMeter::kCodes ? n : static_cast<int>(absl::StatusCode::kUnknown);
}

}  // namespace

void StepMeter::watch(std::chrono::nanoseconds slow_after) {
  slow_after_ns_.store(slow_after.count() > 0 ? slow_after.count() : INT64_MAX, std::memory_order_relaxed);
  watchers_.fetch_add(1, std::memory_order_relaxed);
}

void StepMeter::unwatch() { watchers_.fetch_sub(1, std::memory_order_relaxed); }

absl::Status StepMeter::begin_tracing(Tracing tracing) {
  std::lock_guard lock(sink_mu_);
  if (tracing_ != nullptr) return absl::AlreadyExistsError("the runtime's steps are traced already");
  trace_every_.store(tracing.every, std::memory_order_relaxed);
  trace_slow_ns_.store(tracing.slow_after.count(), std::memory_order_relaxed);
  tracings_.fetch_add(1, std::memory_order_relaxed);
  tracing_ = std::make_shared<const Tracing>(std::move(tracing));
  watchers_.fetch_add(1, std::memory_order_relaxed);
  // The next of each is picked.
  for (Stripe& s : stripes_) s.span.fetch_add(1 - s.left.exchange(1), std::memory_order_relaxed);
  return absl::OkStatus();
}

void StepMeter::end_tracing() {
  std::shared_ptr<const Tracing> gone;  // destroyed outside the lock
  std::lock_guard lock(sink_mu_);
  if (tracing_ == nullptr) return;
  gone.swap(tracing_);
  trace_every_.store(0, std::memory_order_relaxed);
  trace_slow_ns_.store(0, std::memory_order_relaxed);
  watchers_.fetch_sub(1, std::memory_order_relaxed);
}

StepMeter::Start StepMeter::begin_picked(int stripe, int32_t left, Time now,
                                         std::atomic<int32_t>& to_record) {
  constexpr auto relaxed = std::memory_order_relaxed;
  Stripe& s = stripes_[stripe];
  Start start;
  start.stripe = stripe;
  start.slow_ns = trace_slow_ns_.load(relaxed);
  const bool late = now >= s.pick_at.load(relaxed);
  if (left <= 0 || late) {
    s.pick_at.store(now + kLookAgain, relaxed);
    pick(s, left, late, &start);
  }
  start.traced = start.sampled;
  if (start.slow_ns > 0 && to_record.load(relaxed) > 0) {
    to_record.fetch_sub(1, relaxed);
    start.traced = true;
  }
  if (start.at_ns == 0 && (start.traced || (start.slow_ns > 0 && start.slow_ns < kCoarseNs)))
    start.at_ns = steady_ns();
  return start;
}

/// Numbers, and not times, say which run is timed, and chance says which number: runs that alternate are all seen.
void StepMeter::pick(Stripe& s, int32_t left, bool late, Start* start) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const int32_t passed = s.span.load(relaxed) - left;
  const int32_t till_timed = s.till_timed.load(relaxed) - passed;
  s.till_timed.store(till_timed, relaxed);
  if (till_timed <= 0 || late) time(s, s.gap.load(relaxed) - till_timed, start);

  int64_t next = s.till_timed.load(relaxed);
  if (const int64_t every = trace_every_.load(relaxed); every > 0) {
    const int64_t tracing = tracings_.load(relaxed);
    int64_t till_sampled =
        s.tracing.exchange(tracing, relaxed) == tracing ? s.till_sampled.load(relaxed) - passed : 0;
    start->sampled = till_sampled <= 0;
    if (start->sampled) till_sampled = every;
    s.till_sampled.store(till_sampled, relaxed);
    next = std::min(next, till_sampled);
  }
  s.span.store(static_cast<int32_t>(next), relaxed);
  s.left.store(static_cast<int32_t>(next), relaxed);
}

void StepMeter::time(Stripe& s, int32_t since_timed, Start* start) {
  constexpr auto relaxed = std::memory_order_relaxed;
  start->weight = since_timed;
  start->at_ns = steady_ns();
  const int64_t took = std::max<int64_t>(1, start->at_ns - s.timed_ns.exchange(start->at_ns, relaxed));
  const int64_t mean = std::clamp<int64_t>(since_timed * kTimedEveryNs / took, 1, kMostMeanGap);
  uint32_t random = s.random.load(relaxed);
  random ^= random << 13, random ^= random >> 17, random ^= random << 5;
  s.random.store(random, relaxed);
  const auto gap = static_cast<int32_t>(1 + random % static_cast<uint64_t>(2 * mean - 1));
  s.gap.store(gap, relaxed);
  s.till_timed.store(gap, relaxed);
}

void StepMeter::count(const Start& start, int64_t duration_ns) {
  Stripe& s = stripes_[start.stripe];
  const auto bucket = std::lower_bound(kBoundsNs.begin(), kBoundsNs.end(), duration_ns) - kBoundsNs.begin();
  s.steps[bucket].fetch_add(start.weight, std::memory_order_relaxed);
  s.total_ns.fetch_add(duration_ns * start.weight, std::memory_order_relaxed);
}

bool StepMeter::end(const Start& start, TimedStep* step, const Run& run) {
  if (step->code != absl::StatusCode::kOk)
    errors_[code_of(step->code)].fetch_add(1, std::memory_order_relaxed);
  const bool timed = start.at_ns != 0;
  if (!timed && start.slow_ns == 0) return false;
  step->duration_ns = std::max<int64_t>(0, timed ? steady_ns() - start.at_ns
                                                 : (coarse_now() - run.began) / std::chrono::nanoseconds(1));
  if (start.weight > 0) count(start, step->duration_ns);
  const bool slow = start.slow_ns > 0 && step->duration_ns >= start.slow_ns;
  if (!timed && !slow) return false;
  if (slow) {
    run.to_record.store(kRecordedAfterSlow, std::memory_order_relaxed);
  } else if (start.slow_ns > 0 && step->duration_ns >= run.nodes_run * kLongNodeNs &&
             run.to_record.load(std::memory_order_relaxed) < kRecordedAfterLong) {
    run.to_record.store(kRecordedAfterLong, std::memory_order_relaxed);
  }
  step->began_ns = wall_clock_ns() - step->duration_ns;
  step->label = step_label(run.fetches, run.targets);
  if (step->duration_ns >= slow_after_ns_.load(std::memory_order_relaxed)) slow_.add(*step);
  recent_.add(*step);
  return start.sampled || slow;
}

void StepMeter::deliver(std::shared_ptr<const StepTrace> trace) {
  std::shared_ptr<const Tracing> tracing;
  {
    std::lock_guard lock(sink_mu_);
    tracing = tracing_;
  }
  if (tracing != nullptr) tracing->sink(std::move(trace));
}

void StepMeter::refused(const absl::Status& status) {
  if (watched()) errors_[code_of(status.code())].fetch_add(1, std::memory_order_relaxed);
}

StepMeter::Counts StepMeter::counts() const {
  Counts out;
  for (int i = 1; i < kCodes; ++i) out.errors[i] = errors_[i].load(std::memory_order_relaxed);
  for (const Stripe& s : stripes_) {
    out.total_ns += s.total_ns.load(std::memory_order_relaxed);
    for (size_t b = 0; b < out.steps.size(); ++b) out.steps[b] += s.steps[b].load(std::memory_order_relaxed);
  }
  return out;
}

}  // namespace troupe
