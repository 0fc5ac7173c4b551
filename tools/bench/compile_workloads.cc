// From a GraphDef in memory to the first result.
#include <chrono>

#include "tools/bench/bench.h"
#include "tools/bench/graphs.h"
#include "tools/bench/session_util.h"

#include "graph/status.h"

#include "absl/strings/str_cat.h"

namespace troupe::bench {
namespace {

constexpr int kLeastFirstRuns = 5;

absl::StatusOr<Samples> first_run(const BenchOptions& options, int nodes, bool optimize) {
  using Clock = std::chrono::steady_clock;
  const tensorflow::GraphDef graph = scalar_dag(nodes);
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  SessionOptions session_options;
  session_options.optimize = optimize;
  Samples samples;
  double create = 0;
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(options.seconds));
  while (samples.nanoseconds.size() < kLeastFirstRuns || Clock::now() < end) {
    const Clock::time_point begin = Clock::now();
    TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::open(*runtime, session_options));
    TROUPE_RETURN_IF_ERROR(session->create(graph));
    create += std::chrono::duration<double>(Clock::now() - begin).count();
    TROUPE_RETURN_IF_ERROR(session->run({{"x", Tensor::scalar<float>(1)}}, {"y"}).status());
    samples.nanoseconds.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  samples.figures["mean_import_ms"] = create * 1e3 / static_cast<double>(samples.nanoseconds.size());
  return samples;
}

}  // namespace

void add_compile_workloads(std::vector<Workload>* out) {
  for (int nodes : {10000, 100000}) {
    for (bool optimize : {false, true}) {
      out->push_back({absl::StrCat("first_run_", optimize ? "" : "raw_", nodes),
                      absl::StrCat("import and first run of ", nodes, " random scalar nodes, ",
                                   optimize ? "optimised" : "as written"),
                      [=](const BenchOptions& o) { return first_run(o, nodes, optimize); }});
    }
  }
}

}  // namespace troupe::bench
