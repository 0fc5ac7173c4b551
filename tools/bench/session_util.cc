#include "tools/bench/session_util.h"

#include "graph/status.h"

namespace troupe::bench {

absl::StatusOr<Bench> open_bench(const tensorflow::GraphDef& graph, bool optimize, int inter_op_threads,
                                 int intra_op_threads) {
  RuntimeOptions runtime_options;
  runtime_options.inter_op_threads = inter_op_threads;
  runtime_options.intra_op_threads = intra_op_threads;
  SessionOptions options;
  options.optimize = optimize;
  options.inter_op_threads = inter_op_threads;
  options.intra_op_threads = intra_op_threads;
  Bench bench;
  bench.runtime = Runtime::create(runtime_options);
  TROUPE_ASSIGN_OR_RETURN(bench.session, Session::open(*bench.runtime, options));
  TROUPE_RETURN_IF_ERROR(bench.session->create(graph));
  return bench;
}

absl::StatusOr<Samples> time_runs(const BenchOptions& options, Session* session, std::string unit,
                                  double units, const std::vector<NamedTensor>& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets) {
  return time_calls(options, std::move(unit), units,
                    [&] { return session->run(feeds, fetches, targets).status(); });
}

}  // namespace troupe::bench
