#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troupe::bench {

/// How long to measure.
struct BenchOptions {
  /// Of a workload, about; workloads that count tries instead say so.
  double seconds = 1;
  /// Tries of each cancel scene.
  int cancel_tries = 1000;
  /// Steps of the memory workloads.
  int64_t memory_steps = 1'000'000;
  /// Sessions that are open and idle at once.
  int64_t idle_sessions = 10'000;
  /// Different signatures of one session.
  int64_t signatures = 100'000;
  /// A node of a cluster of two tasks, "caf://HOST:PORT", for the workloads that need one.
  std::string target;
};

/// One time per call, in nanoseconds per unit of work.
struct Samples {
  /// What a unit is: "run", "node", "iteration", "try".
  std::string unit = "run";
  std::vector<double> nanoseconds;
  /// Further figures, by name.
  std::map<std::string, double> figures;
  /// Counts by upper bound, for distributions that matter as a whole.
  std::vector<std::pair<double, int64_t>> histogram;

  double median() const { return quantile(0.5); }
  /// By nearest rank; 0 when there are none.
  double quantile(double q) const;
};

/// A named thing to time.
struct Workload {
  std::string name;
  std::string what;
  std::function<absl::StatusOr<Samples>(const BenchOptions&)> run;
  /// Only where BenchOptions::target is set.
  bool needs_cluster = false;
};

/// Calls `call` for a while to warm up, then for options.seconds, and times each call. `units` of work are in one call.
/// At least `least` calls are timed, however long they take.
absl::StatusOr<Samples> time_calls(const BenchOptions& options, std::string unit, double units,
                                   const std::function<absl::Status()>& call, int least = 5);

/// Counts of microseconds by powers of two and halves between them, from values in nanoseconds.
std::vector<std::pair<double, int64_t>> make_histogram(const std::vector<double>& nanoseconds);

/// All workloads, in the order in which they run.
std::vector<Workload> all_workloads();
void add_step_workloads(std::vector<Workload>* out);
void add_compile_workloads(std::vector<Workload>* out);
void add_thread_workloads(std::vector<Workload>* out);
void add_cancel_workloads(std::vector<Workload>* out);
void add_busy_workloads(std::vector<Workload>* out);
void add_memory_workloads(std::vector<Workload>* out);
void add_session_workloads(std::vector<Workload>* out);
void add_watch_workloads(std::vector<Workload>* out);

/// One line for people: name, median, p10, p90, p99.
std::string to_text(const std::string& name, const Samples& samples);

}  // namespace troupe::bench
