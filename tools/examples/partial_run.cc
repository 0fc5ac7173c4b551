// A partial run: one step whose feeds come, and whose fetches are taken, in turns. A fork of it goes on from the same point with feeds
// of its own; what was computed before is not computed again.
#include <cstdio>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"

namespace {

using troupe::DataType;
using troupe::Tensor;

/// out = mid + b, where mid = a * 10 counts in a variable how often it was computed.
absl::StatusOr<troupe::Graph> make_graph() {
  troupe::GraphBuilder g;
  const auto a = g.placeholder(DataType::kFloat, {}, "a");
  const auto b = g.placeholder(DataType::kFloat, {}, "b");
  const auto times = g.variable(Tensor::scalar<float>(0), "times");
  g.init_all("init");
  g.read(times, "how_often");
  const auto counted = g.control({g.assign_add(times, g.constant(1.0f))});
  g.add(g.mul(a, g.constant(10.0f), "mid"), b, "out");
  return g.build();
}

absl::Status show() {
  const auto runtime = troupe::Runtime::create();
  TROUPE_ASSIGN_OR_RETURN(const auto session, troupe::Session::open(*runtime));
  TROUPE_ASSIGN_OR_RETURN(troupe::Graph graph, make_graph());
  TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));
  TROUPE_RETURN_IF_ERROR(session->run({}, {}, {"init"}).status());
  auto turn = [&](const std::string& run, const char* feed, float value, const char* fetch) -> absl::Status {
    TROUPE_ASSIGN_OR_RETURN(const auto got,
                            session->partial_run(run, {{feed, Tensor::scalar(value)}}, {fetch}));
    std::printf("fed %s = %g: %s = %g\n", feed, value, fetch, got[0].value<float>());
    return absl::OkStatus();
  };

  TROUPE_ASSIGN_OR_RETURN(const std::string run, session->partial_run_setup({"a", "b"}, {"mid:0", "out:0"}));
  TROUPE_RETURN_IF_ERROR(turn(run, "a", 2, "mid:0"));
  TROUPE_ASSIGN_OR_RETURN(const std::string fork, session->partial_run_fork(run));
  TROUPE_RETURN_IF_ERROR(turn(run, "b", 1, "out:0"));
  TROUPE_RETURN_IF_ERROR(turn(fork, "b", 2, "out:0"));
  // All is fed and fetched: both are over, and so are their names.
  std::printf("once more: %s\n", session->partial_run(run, {}, {"out:0"}).status().ToString().c_str());
  TROUPE_ASSIGN_OR_RETURN(const auto times, session->run({}, {"how_often"}));
  std::printf("mid was computed %g time\n", times[0].value<float>());
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status end = show();
  if (!end.ok()) std::fprintf(stderr, "%s\n", end.ToString().c_str());
  return end.ok() ? 0 : 1;
}

// Prints:
// fed a = 2: mid:0 = 20
// fed b = 1: out:0 = 21
// fed b = 2: out:0 = 22
// once more: INVALID_ARGUMENT: Must run 'setup' before performing partial runs!
// mid was computed 1 time
