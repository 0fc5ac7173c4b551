// What it costs to be watched: a console, or traces of some runs, beside the smallest run.
#include "actors/console/console.h"
#include "actors/console/step_tracing.h"
#include "tools/bench/bench.h"
#include "tools/bench/graphs.h"
#include "tools/bench/session_util.h"

#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe::bench {
namespace {

constexpr int kTurns = 41;

/// Begins to watch; while what it gives lives.
using Watch = std::function<absl::StatusOr<std::shared_ptr<void>>(Runtime&)>;

/// Watched and not, in turn: `overhead_percent` is the median of the turns' ratios, so that a machine whose speed changes meanwhile spoils a
/// few of them and not the figure.
absl::StatusOr<Samples> beside(const BenchOptions& options, const Watch& watch) {
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(tiny_add()));
  BenchOptions turn = options;
  turn.seconds = options.seconds / (2 * kTurns);
  const auto time = [&] {
    return time_runs(turn, bench.session.get(), "run", 1, {{"x", Tensor::scalar<float>(1)}}, {"y"});
  };
  Samples all, ratios;
  for (int i = 0; i < kTurns; ++i) {
    TROUPE_ASSIGN_OR_RETURN(const Samples alone, time());
    TROUPE_ASSIGN_OR_RETURN(const std::shared_ptr<void> watcher, watch(*bench.runtime));
    TROUPE_ASSIGN_OR_RETURN(const Samples watched, time());
    all.nanoseconds.insert(all.nanoseconds.end(), watched.nanoseconds.begin(), watched.nanoseconds.end());
    ratios.nanoseconds.push_back(watched.median() / alone.median());
  }
  all.figures["overhead_percent"] = (ratios.median() - 1) * 100;
  return all;
}

absl::StatusOr<std::shared_ptr<void>> console(Runtime& runtime) { return Console::start(runtime); }

absl::StatusOr<std::shared_ptr<void>> trace(Runtime& runtime, TraceOptions options) {
  options.folder = std::filesystem::temp_directory_path() / absl::StrCat("troupe-bench-", ::getpid());
  TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<StepTracing> tracing, StepTracing::start(runtime, options));
  return std::shared_ptr<void>(tracing.release(), [folder = options.folder](void* t) {
    delete static_cast<StepTracing*>(t);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
}

Watch trace_every(int64_t runs) {
  TraceOptions options;
  options.every = runs;
  return [options](Runtime& runtime) { return trace(runtime, options); };
}

Watch trace_slow(std::chrono::milliseconds slow_after) {
  TraceOptions options;
  options.slow_after = slow_after;
  return [options](Runtime& runtime) { return trace(runtime, options); };
}

}  // namespace

void add_watch_workloads(std::vector<Workload>* out) {
  out->push_back({"tiny_add_watched", "the same while a console counts",
                  [](const BenchOptions& o) { return beside(o, console); }});
  out->push_back({"tiny_add_sampled", "the same while every 1,000th run is traced",
                  [](const BenchOptions& o) { return beside(o, trace_every(1000)); }});
  out->push_back({"tiny_add_slow_traced", "the same while slow runs are traced, of which there are none",
                  [](const BenchOptions& o) { return beside(o, trace_slow(std::chrono::seconds(1))); }});
  out->push_back({"tiny_add_traced", "the same while every run is traced",
                  [](const BenchOptions& o) { return beside(o, trace_every(1)); }});
}

}  // namespace troupe::bench
