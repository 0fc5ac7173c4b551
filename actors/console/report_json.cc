#include <cmath>

#include "absl/strings/str_cat.h"
#include "actors/console/console_report.h"
#include "nlohmann/json.hpp"

namespace troupe {
namespace {

using Json = nlohmann::json;

/// Running steps that are shown of each session; the others are counted.
constexpr size_t kShownSteps = 50;
constexpr int64_t kNsPerUs = 1000;

std::string code_name(absl::StatusCode code) { return absl::StatusCodeToString(code); }

Json running_step(const StepReport& s) {
  return {{"step", s.step_id},
          {"age_us", s.age.count()},
          {"label", step_label(s.fetches, s.targets)},
          {"frontier", s.frontier}};
}

Json session(const SessionStatus& s, const std::vector<StepReport>& steps) {
  Json running = Json::array();
  for (size_t i = 0; i < std::min(steps.size(), kShownSteps); ++i) running.push_back(running_step(steps[i]));
  const SessionCounters& c = s.counters;
  return {{"id", s.id},
          {"name", s.name},
          {"runs", c.runs},
          {"running", c.running_steps},
          {"signatures", c.signatures},
          {"signature_hits", c.signature_hits},
          {"signature_misses", c.signature_misses},
          {"evictions", c.evictions},
          {"slots", c.step_slots},
          {"most_slots", c.most_step_slots},
          {"steps", std::move(running)}};
}

Json pool(const PoolStatus& p) {
  return {{"name", p.name},
          {"max_threads", p.max_threads},
          {"threads", p.threads},
          {"busy", p.busy},
          {"turns_queued", p.turns_waiting},
          {"kernels_queued", p.kernels_waiting},
          {"kernels_run", p.kernels_run}};
}

Json device(const DeviceLoad& d) {
  Json steps = Json::array();
  for (const StepMemory& s : d.steps)
    steps.push_back({{"session", s.session_id}, {"step", s.step_id}, {"bytes", s.waiting_bytes}});
  return {{"name", d.name},
          {"batches", d.batches},
          {"kernels_launched", d.kernels_launched},
          {"kernels_queued", d.kernels_waiting},
          {"steps", std::move(steps)}};
}

Json timed_steps(const std::vector<TimedStep>& steps) {
  Json out = Json::array();
  for (const TimedStep& s : steps) {
    out.push_back({{"session", s.session_id},
                   {"step", s.step_id},
                   {"began_us", s.began_ns / kNsPerUs},
                   {"us", static_cast<double>(s.duration_ns) / kNsPerUs},
                   {"code", code_name(s.code)},
                   {"label", s.label}});
  }
  return out;
}

/// The duration that a share of the steps does not exceed: the bound of its bucket, in microseconds; null when there were none, or in the
/// last bucket.
Json quantile_us(const StepMeter::Counts& counts, double share) {
  int64_t total = 0;
  for (const int64_t n : counts.steps) total += n;
  const auto rank = static_cast<int64_t>(std::ceil(share * static_cast<double>(total)));
  int64_t below = 0;
  for (size_t b = 0; b < StepMeter::kBoundsNs.size() && total > 0; ++b) {
    below += counts.steps[b];
    if (below >= rank) return StepMeter::kBoundsNs[b] / kNsPerUs;
  }
  return nullptr;
}

Json step_counts(const ConsoleReport& report) {
  const StepMeter::Counts& counts = report.steps;
  Json errors = Json::object();
  for (int code = 1; code < StepMeter::kCodes; ++code) {
    if (counts.errors[code] > 0) errors[code_name(static_cast<absl::StatusCode>(code))] = counts.errors[code];
  }
  Json buckets = Json::array();
  for (size_t b = 0; b < counts.steps.size(); ++b) {
    const Json bound = b < StepMeter::kBoundsNs.size() ? Json(StepMeter::kBoundsNs[b] / kNsPerUs) : Json();
    buckets.push_back({{"at_most_us", bound}, {"steps", counts.steps[b]}});
  }
  return {{"errors", std::move(errors)},          {"histogram", std::move(buckets)},
          {"p50_us", quantile_us(counts, 0.5)},   {"p99_us", quantile_us(counts, 0.99)},
          {"recent", timed_steps(report.recent)}, {"slow", timed_steps(report.slow)}};
}

}  // namespace

std::string report_json(const ConsoleReport& report) {
  const RuntimeStatus& r = report.runtime;
  Json sessions = Json::array(), pools = Json::array(), devices = Json::array();
  for (size_t i = 0; i < r.open_sessions.size(); ++i)
    sessions.push_back(session(r.open_sessions[i],
                               i < report.running.size() ? report.running[i] : std::vector<StepReport>()));
  for (const PoolStatus& p : r.pools) pools.push_back(pool(p));
  for (const DeviceLoad& d : r.device_loads) devices.push_back(device(d));
  const Json memory = {{"bytes", r.memory.bytes_in_use},
                       {"peak_bytes", r.memory.peak_bytes_in_use},
                       {"kept_bytes", r.memory.bytes_kept},
                       {"limit_bytes", r.memory.bytes_limit},
                       {"allocations", r.memory.num_allocations}};
  const Json all = {
      {"at_us", report.at_ns / kNsPerUs}, {"up_seconds", std::chrono::duration<double>(report.up).count()},
      {"ready", r.opens_sessions},        {"runs", r.runs},
      {"sessions", std::move(sessions)},  {"pools", std::move(pools)},
      {"devices", std::move(devices)},    {"memory", memory},
      {"steps", step_counts(report)}};
  // Names may be any bytes.
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace troupe
