#include "actors/step_meter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "actors/step/node_timing.h"

namespace troupe {
namespace {

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
  tracing_ = std::make_shared<const Tracing>(std::move(tracing));
  watchers_.fetch_add(1, std::memory_order_relaxed);
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

StepMeter::Start StepMeter::begin_watched(int stripe) {
  Start start;
  start.stripe = stripe % kStripes;
  Stripe& s = stripes_[start.stripe];
  const auto every = static_cast<uint64_t>(trace_every_.load(std::memory_order_relaxed));
  const bool all = trace_slow_ns_.load(std::memory_order_relaxed) > 0;
  start.sampled = every > 0 && trace_count_.fetch_add(1, std::memory_order_relaxed) % every == 0;
  start.traced = start.sampled || all;
  const int32_t left = s.left.load(std::memory_order_relaxed);
  if (left > 0) s.left.store(left - 1, std::memory_order_relaxed);
  if (left > 0 && !start.traced) return start;
  if (left <= 0) {
    start.weight = s.every.load(std::memory_order_relaxed);
    s.left.store(start.weight - 1, std::memory_order_relaxed);
  }
  start.at_ns = steady_ns();
  return start;
}

bool StepMeter::end(const Start& start, TimedStep* step, const std::vector<std::string>& fetches,
                    const std::vector<std::string>& targets) {
  if (step->code != absl::StatusCode::kOk)
    errors_[code_of(step->code)].fetch_add(1, std::memory_order_relaxed);
  if (start.at_ns == 0) return false;
  step->duration_ns = std::max<int64_t>(0, steady_ns() - start.at_ns);
  if (start.weight > 0) {
    Stripe& s = stripes_[start.stripe];
    const auto bucket =
        std::lower_bound(kBoundsNs.begin(), kBoundsNs.end(), step->duration_ns) - kBoundsNs.begin();
    s.steps[bucket].fetch_add(start.weight, std::memory_order_relaxed);
    s.total_ns.fetch_add(step->duration_ns * start.weight, std::memory_order_relaxed);
    s.every.store(step->duration_ns >= kLongNs ? 1 : kTimedEvery, std::memory_order_relaxed);
  }
  const int64_t slow_ns = trace_slow_ns_.load(std::memory_order_relaxed);
  const bool wanted = start.sampled || (start.traced && slow_ns > 0 && step->duration_ns >= slow_ns);
  step->began_ns = wall_clock_ns() - step->duration_ns;
  step->label = step_label(fetches, targets);
  if (step->duration_ns >= slow_after_ns_.load(std::memory_order_relaxed)) slow_.add(*step);
  recent_.add(*step);
  return wanted;
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

void StepMeter::Ring::add(TimedStep step) {
  std::lock_guard lock(mu_);
  if (steps_.size() < size_) {
    steps_.push_back(std::move(step));
    return;
  }
  std::swap(steps_[next_], step);
  next_ = (next_ + 1) % size_;
}

std::vector<TimedStep> StepMeter::Ring::all() const {
  std::lock_guard lock(mu_);
  std::vector<TimedStep> out(steps_.begin() + static_cast<ptrdiff_t>(next_), steps_.end());
  out.insert(out.end(), steps_.begin(), steps_.begin() + static_cast<ptrdiff_t>(next_));
  return out;
}

}  // namespace troupe
