// What the runtime costs beside its kernels: runs, nodes, iterations, and large tensors that pass through.
#include "tools/bench/bench.h"
#include "tools/bench/graphs.h"
#include "tools/bench/session_util.h"

#include "graph/status.h"

#include "absl/strings/str_cat.h"

namespace troupe::bench {
namespace {

constexpr int kChainNodes = 10000;
constexpr int kIterations = 10000;
constexpr int kInnerIterations = 10;
constexpr int kMatmulChains = 16;
constexpr int kMatmulLength = 8;
constexpr int64_t kMatmulSize = 128;
constexpr int kScalingTurns = 21;

std::vector<NamedTensor> scalar_feed() { return {{"x", Tensor::scalar<float>(1)}}; }
std::vector<NamedTensor> limit_feed(int n) { return {{"n", Tensor::scalar<int32_t>(n)}}; }

using MakeGraph = std::function<tensorflow::GraphDef()>;

/// Runs the graph as written, again and again.
Workload repeated(std::string name, std::string what, std::string unit, double units, MakeGraph make,
                  std::vector<NamedTensor> feeds, std::vector<std::string> fetches,
                  std::vector<std::string> targets = {}) {
  auto run = [=](const BenchOptions& options) -> absl::StatusOr<Samples> {
    TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(make()));
    return time_runs(options, bench.session.get(), unit, units, feeds, fetches, targets);
  };
  return {std::move(name), std::move(what), std::move(run)};
}

absl::StatusOr<Bench> open_matmul(int threads) {
  return open_bench(matmul_chains(kMatmulChains, kMatmulLength), false, threads, 1);
}

absl::StatusOr<Samples> time_matmul(const BenchOptions& options, const Bench& bench) {
  Tensor x(DataType::kFloat, Shape{kMatmulSize, kMatmulSize});
  for (size_t i = 0; i < x.flat<float>().size(); ++i)
    x.flat<float>()[i] = static_cast<float>(i % 13) * 0.1f - 0.6f;
  return time_runs(options, bench.session.get(), "run", 1, {{"x", x}}, {"y"});
}

absl::StatusOr<Samples> matmul(const BenchOptions& options, int threads) {
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_matmul(threads));
  return time_matmul(options, bench);
}

/// On two threads and on one in turn, some twenty times: `speedup` is the median of the ratios, so that a machine
/// whose speed changes meanwhile spoils a few of them and not the figure.
absl::StatusOr<Samples> matmul_scaling(const BenchOptions& options) {
  TROUPE_ASSIGN_OR_RETURN(const Bench on_one, open_matmul(1));
  TROUPE_ASSIGN_OR_RETURN(const Bench on_two, open_matmul(2));
  BenchOptions turn = options;
  turn.seconds = options.seconds / kScalingTurns;
  Samples all, ones, ratios;
  for (int i = 0; i < kScalingTurns; ++i) {
    TROUPE_ASSIGN_OR_RETURN(const Samples one, time_matmul(turn, on_one));
    TROUPE_ASSIGN_OR_RETURN(const Samples two, time_matmul(turn, on_two));
    all.nanoseconds.insert(all.nanoseconds.end(), two.nanoseconds.begin(), two.nanoseconds.end());
    ones.nanoseconds.insert(ones.nanoseconds.end(), one.nanoseconds.begin(), one.nanoseconds.end());
    ratios.nanoseconds.push_back(one.median() / two.median());
  }
  all.figures["one_thread_us"] = ones.median() / 1e3;
  all.figures["speedup"] = ratios.median();
  return all;
}

absl::StatusOr<Samples> pass(const BenchOptions& options, int64_t elements) {
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(pass_through()));
  const Tensor x = zeros(DataType::kFloat, Shape{elements});
  return time_runs(options, bench.session.get(), "run", 1, {{"x", x}}, {"y"});
}

}  // namespace

void add_step_workloads(std::vector<Workload>* out) {
  out->push_back(repeated("tiny_add", "one Add of a fed scalar and a constant, on the caller's thread", "run",
                          1, tiny_add, scalar_feed(), {"y"}));
  out->push_back(repeated("tiny_target", "one NoOp as a target", "run", 1, [] { return noop_chain(0); }, {},
                          {}, {"go"}));
  out->push_back(repeated("chain_noop", "10,000 NoOps, one after the other", "node", kChainNodes,
                          [] { return noop_chain(kChainNodes); }, {}, {}, {"go"}));
  out->push_back(repeated("chain_identity", "10,000 Identities", "node", kChainNodes,
                          [] { return identity_chain(kChainNodes); }, scalar_feed(), {"y"}));
  out->push_back(repeated("chain_add", "10,000 scalar Adds", "node", kChainNodes,
                          [] { return add_chain(kChainNodes); }, scalar_feed(), {"y"}));
  out->push_back(repeated("wide_noop", "10,000 NoOps between one and one", "node", kChainNodes,
                          [] { return wide_noops(kChainNodes); }, {}, {}, {"go"}));
  out->push_back(repeated("dag_noop", "10,000 NoOps, each behind two of the 64 before", "node", kChainNodes,
                          [] { return noop_dag(kChainNodes); }, {}, {}, {"go"}));
  out->push_back(repeated("dag_scalar", "10,000 scalar nodes, each of two of the 32 before", "node",
                          kChainNodes, [] { return scalar_dag(kChainNodes); }, scalar_feed(), {"y"}));
  out->push_back(repeated("while_loop", "10,000 iterations of a v1 loop", "iteration", kIterations,
                          while_loop, limit_feed(kIterations), {"y"}));
  out->push_back(repeated("while_nested", "1,000 times a loop of 10 iterations", "iteration", kIterations,
                          nested_while_loop, limit_feed(kIterations / kInnerIterations), {"y"}));
  out->push_back({"matmul_1_thread", "16 chains of 8 products of 128x128 on one inter-op thread",
                  [](const BenchOptions& o) { return matmul(o, 1); }});
  out->push_back({"matmul_2_threads", "the same on two; speedup over one", matmul_scaling});
  for (const auto& [name, elements] :
       {std::pair<const char*, int64_t>{"pass_4B", 1}, {"pass_4MB", 1 << 20}, {"pass_64MB", 1 << 24}}) {
    out->push_back({name, "a tensor fed and fetched through an Identity",
                    [n = elements](const BenchOptions& o) { return pass(o, n); }});
  }
}

}  // namespace troupe::bench
