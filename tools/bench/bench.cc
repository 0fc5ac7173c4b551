#include "tools/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/status.h"

namespace troupe::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Warming up takes this part of the time that is measured.
constexpr double kWarmUpShare = 0.2;
constexpr int kMostWarmUps = 20000;
/// Enough for every quantile; keeps the memory of fast workloads bounded.
constexpr size_t kMostSamples = 2'000'000;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// "1.23 us": three digits in a unit that fits.
std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e3) return absl::StrFormat("%.3g ns", nanoseconds);
  if (nanoseconds < 1e6) return absl::StrFormat("%.3g us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return absl::StrFormat("%.3g ms", nanoseconds / 1e6);
  return absl::StrFormat("%.3g s", nanoseconds / 1e9);
}

}  // namespace

double Samples::quantile(double q) const {
  if (nanoseconds.empty()) return 0;
  std::vector<double> sorted = nanoseconds;
  const size_t rank =
      std::min(sorted.size() - 1, static_cast<size_t>(std::ceil(q * sorted.size())) - (q > 0 ? 1 : 0));
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
  return sorted[rank];
}

absl::StatusOr<Samples> time_calls(const BenchOptions& options, std::string unit, double units,
                                   const std::function<absl::Status()>& call, int least) {
  Samples samples;
  samples.unit = std::move(unit);
  samples.nanoseconds.reserve(kMostSamples);
  const Clock::time_point warm_up = Clock::now();
  for (int i = 0; i == 0 || (i < kMostWarmUps && seconds_since(warm_up) < kWarmUpShare * options.seconds);
       ++i) {
    TROUPE_RETURN_IF_ERROR(call());
  }
  const Clock::time_point begin = Clock::now();
  const auto end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
  Clock::time_point last = begin;
  while ((last < end || samples.nanoseconds.size() < static_cast<size_t>(least)) &&
         samples.nanoseconds.size() < kMostSamples) {
    TROUPE_RETURN_IF_ERROR(call());
    const Clock::time_point now = Clock::now();
    samples.nanoseconds.push_back(std::chrono::duration<double, std::nano>(now - last).count() / units);
    last = now;
  }
  return samples;
}

std::vector<std::pair<double, int64_t>> make_histogram(const std::vector<double>& nanoseconds) {
  std::vector<std::pair<double, int64_t>> bins;
  if (nanoseconds.empty()) return bins;
  const double largest = *std::max_element(nanoseconds.begin(), nanoseconds.end()) / 1e3;
  double bound = 1;
  for (bool half = false;; half = !half) {
    bins.emplace_back(bound, 0);
    if (bound >= largest) break;
    bound *= half ? 4.0 / 3 : 1.5;
  }
  for (double n : nanoseconds) {
    auto bin = std::lower_bound(bins.begin(), bins.end(), n / 1e3,
                                [](const auto& b, double v) { return b.first < v; });
    if (bin == bins.end()) --bin;
    ++bin->second;
  }
  while (!bins.empty() && bins.front().second == 0) bins.erase(bins.begin());
  return bins;
}

std::vector<Workload> all_workloads() {
  std::vector<Workload> out;
  add_step_workloads(&out);
  add_compile_workloads(&out);
  add_thread_workloads(&out);
  add_cancel_workloads(&out);
  add_busy_workloads(&out);
  add_memory_workloads(&out);
  add_session_workloads(&out);
  add_watch_workloads(&out);
  return out;
}

std::string to_text(const std::string& name, const Samples& s) {
  std::string text = absl::StrFormat("%-28s", name);
  if (!s.nanoseconds.empty()) {
    absl::StrAppendFormat(&text, " %10s a %s  (p10 %s, p90 %s, p99 %s; %d samples)", time_text(s.median()),
                          s.unit, time_text(s.quantile(0.1)), time_text(s.quantile(0.9)),
                          time_text(s.quantile(0.99)), s.nanoseconds.size());
  }
  for (const auto& [key, value] : s.figures) absl::StrAppendFormat(&text, "  %s=%.6g", key, value);
  return text;
}

}  // namespace troupe::bench
