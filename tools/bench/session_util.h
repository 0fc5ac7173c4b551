#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "proto/graph.pb.h"
#include "tools/bench/bench.h"

namespace troupe::bench {

/// A runtime with one session over one graph.
struct Bench {
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Session> session;
};

/// Every node is executed as written unless `optimize`.
absl::StatusOr<Bench> open_bench(const tensorflow::GraphDef& graph, bool optimize = false,
                                 int inter_op_threads = 0, int intra_op_threads = 0);

/// Times runs of one signature.
absl::StatusOr<Samples> time_runs(const BenchOptions& options, Session* session, std::string unit,
                                  double units, const std::vector<NamedTensor>& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {});

}  // namespace troupe::bench
