#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "actors/console/console_report.h"

namespace troupe {
namespace {

/// A text as a label's value.
std::string quoted(const std::string& value) {
  return absl::StrCat("\"", absl::StrReplaceAll(value, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}),
                      "\"");
}

/// Metrics, a family after the other.
class Metrics {
 public:
  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    absl::StrAppend(&text_, "# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
  }
  template <class Number>
  void value(Number number, const std::string& labels = "") {
    sample("", labels, number);
  }
  template <class Number>
  void sample(const char* suffix, const std::string& labels, Number number) {
    absl::StrAppend(&text_, name_, suffix);
    if (!labels.empty()) absl::StrAppend(&text_, "{", labels, "}");
    absl::StrAppend(&text_, " ", number, "\n");
  }
  std::string take() { return std::move(text_); }

 private:
  const char* name_ = "";
  std::string text_;
};

void add_runs(const ConsoleReport& report, Metrics* m) {
  m->family("troupe_runs_total", "counter", "Runs that were begun, of all sessions there ever were.");
  m->value(report.runtime.runs);
  m->family("troupe_run_errors_total", "counter",
            "Runs that ended with an error, by its code, since the console began.");
  for (int code = 1; code < StepMeter::kCodes; ++code) {
    const auto name = absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
    m->value(report.steps.errors[code], absl::StrCat("code=", quoted(name)));
  }
  int64_t running = 0;
  for (const SessionStatus& s : report.runtime.open_sessions) running += s.counters.running_steps;
  m->family("troupe_steps_in_flight", "gauge", "Runs that are counted in now.");
  m->value(running);
}

void add_durations(const StepMeter::Counts& counts, Metrics* m) {
  constexpr double kNsPerSecond = 1e9;
  m->family("troupe_step_duration_seconds", "histogram",
            "How long steps took, since the console began. Where they are shorter than 32 us each 32nd of a "
            "thread is timed and counts for all.");
  int64_t total = 0;
  for (size_t b = 0; b < counts.steps.size(); ++b) {
    total += counts.steps[b];
    const std::string bound = b < StepMeter::kBoundsNs.size()
                                  ? absl::StrCat(static_cast<double>(StepMeter::kBoundsNs[b]) / kNsPerSecond)
                                  : "+Inf";
    m->sample("_bucket", absl::StrCat("le=", quoted(bound)), total);
  }
  m->sample("_sum", "", static_cast<double>(counts.total_ns) / kNsPerSecond);
  m->sample("_count", "", total);
}

void add_sessions(const RuntimeStatus& runtime, Metrics* m) {
  m->family("troupe_sessions", "gauge", "Open sessions.");
  m->value(runtime.sessions);
  const auto each = [&](const char* name, const char* type, const char* help,
                        int64_t SessionCounters::*counter) {
    m->family(name, type, help);
    for (const SessionStatus& s : runtime.open_sessions) {
      std::string labels = absl::StrCat("session=\"", s.id, "\"");
      if (!s.name.empty()) absl::StrAppend(&labels, ",name=", quoted(s.name));
      m->value(s.counters.*counter, labels);
    }
  };
  each("troupe_session_runs_total", "counter", "Runs of an open session.", &SessionCounters::runs);
  each("troupe_session_steps_in_flight", "gauge", "Its runs that are counted in now.",
       &SessionCounters::running_steps);
  each("troupe_session_signatures", "gauge", "Its compiled signatures.", &SessionCounters::signatures);
  each("troupe_session_signature_hits_total", "counter", "Runs that found theirs compiled.",
       &SessionCounters::signature_hits);
  each("troupe_session_signature_misses_total", "counter", "Signatures that were compiled.",
       &SessionCounters::signature_misses);
  each("troupe_session_signature_evictions_total", "counter",
       "Compiled signatures that were dropped for others.", &SessionCounters::evictions);
  each("troupe_session_step_slots", "gauge", "What steps run on, idle ones included.",
       &SessionCounters::step_slots);
}

void add_pools(const RuntimeStatus& runtime, Metrics* m) {
  const auto each = [&](const char* name, const char* type, const char* help, auto number) {
    m->family(name, type, help);
    // Sessions' own have one name; together they are one pool.
    std::vector<std::pair<std::string, int64_t>> sums;
    for (const PoolStatus& p : runtime.pools) {
      auto at = std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.first == p.name; });
      if (at == sums.end()) at = sums.insert(at, {p.name, 0});
      at->second += number(p);
    }
    for (const auto& [pool, sum] : sums) m->value(sum, absl::StrCat("pool=", quoted(pool)));
  };
  each("troupe_pool_threads", "gauge", "Threads of a pool.", [](const PoolStatus& p) { return p.threads; });
  each("troupe_pool_threads_busy", "gauge", "Those at work.", [](const PoolStatus& p) { return p.busy; });
  each("troupe_pool_turns_queued", "gauge", "Turns of actors, or jobs, that wait for a thread.",
       [](const PoolStatus& p) { return p.turns_waiting; });
  each("troupe_pool_kernels_queued", "gauge", "Kernels that wait for a thread.",
       [](const PoolStatus& p) { return p.kernels_waiting; });
  each("troupe_pool_kernels_total", "counter", "Kernels that its threads ran.",
       [](const PoolStatus& p) { return p.kernels_run; });
  m->family("troupe_compile_queue", "gauge", "Graphs and signatures that wait for a compiler, or have one.");
  for (const PoolStatus& p : runtime.pools) {
    if (p.name == "compile") m->value(p.busy + p.turns_waiting);
  }
}

void add_devices(const RuntimeStatus& runtime, Metrics* m) {
  m->family("troupe_memory_bytes", "gauge", "Tensor memory in use.");
  m->value(runtime.memory.bytes_in_use);
  m->family("troupe_memory_peak_bytes", "gauge", "The most there ever was.");
  m->value(runtime.memory.peak_bytes_in_use);
  m->family("troupe_memory_kept_bytes", "gauge", "Not in use, kept for the steps to come.");
  m->value(runtime.memory.bytes_kept);
  m->family("troupe_memory_allocations_total", "counter", "Allocations of tensor memory.");
  m->value(runtime.memory.num_allocations);
  const auto each = [&](const char* name, const char* type, const char* help, auto number) {
    m->family(name, type, help);
    for (const DeviceLoad& d : runtime.device_loads)
      m->value(number(d), absl::StrCat("device=", quoted(d.name)));
  };
  each("troupe_device_batches_total", "counter", "Batches of kernels that a device was sent.",
       [](const DeviceLoad& d) { return d.batches; });
  each("troupe_device_kernels_total", "counter",
       "Kernels that it was sent; others run where their executor is.",
       [](const DeviceLoad& d) { return d.kernels_launched; });
  each("troupe_device_kernels_queued", "gauge", "Kernels that wait for a thread.",
       [](const DeviceLoad& d) { return d.kernels_waiting; });
  each("troupe_device_step_bytes", "gauge", "Values that wait there for nodes of running steps.",
       [](const DeviceLoad& d) {
         int64_t bytes = 0;
         for (const StepMemory& s : d.steps) bytes += s.waiting_bytes;
         return bytes;
       });
}

}  // namespace

std::string metrics_text(const ConsoleReport& report) {
  Metrics m;
  add_runs(report, &m);
  add_durations(report.steps, &m);
  add_sessions(report.runtime, &m);
  add_pools(report.runtime, &m);
  add_devices(report.runtime, &m);
  return m.take();
}

}  // namespace troupe
