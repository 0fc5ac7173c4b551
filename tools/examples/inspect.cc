// What does a step wait for? `inspect` names the nodes that are not done, `partial_runs` the feeds that have not come.
#include <cstdio>
#include <future>
#include <thread>

#include "absl/strings/str_join.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"

namespace {

using troupe::DataType;
using troupe::Tensor;

/// sum = what is taken from a queue + x.
absl::StatusOr<troupe::Graph> make_graph() {
  troupe::GraphBuilder g;
  const troupe::AttrMap floats{{"component_types", std::vector<DataType>{DataType::kFloat}}};
  const auto x = g.placeholder(DataType::kFloat, {}, "x");
  const auto queue = g.op("FIFOQueueV2", {}, floats, "queue");
  const auto head = g.op("QueueDequeueV2", {queue}, floats, "take");
  g.add(head, x, "sum");
  g.op("QueueEnqueueV2", {queue, std::vector<troupe::Out>{x}}, {}, "put");
  return g.build();
}

absl::Status show() {
  const auto runtime = troupe::Runtime::create();
  TROUPE_ASSIGN_OR_RETURN(const auto session, troupe::Session::open(*runtime));
  TROUPE_ASSIGN_OR_RETURN(troupe::Graph graph, make_graph());
  TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));

  const std::vector<troupe::NamedTensor> two = {{"x", Tensor::scalar<float>(2)}};
  auto sum = session->run_async(two, {"sum"});
  std::vector<std::string> frontier;
  // Until it has come to what it waits for.
  while (frontier.size() < 2) {
    TROUPE_ASSIGN_OR_RETURN(const auto steps, session->inspect());
    if (!steps.empty()) frontier = steps[0].frontier;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::printf("%s\n", absl::StrJoin(frontier, "\n").c_str());

  TROUPE_RETURN_IF_ERROR(session->partial_run_setup({"x"}, {"sum:0"}).status());
  TROUPE_ASSIGN_OR_RETURN(const auto runs, session->partial_runs());
  for (const troupe::PartialRunReport& r : runs) {
    std::printf("partial run: to be fed %s, to be fetched %s\n", absl::StrJoin(r.feeds_to_come, ", ").c_str(),
                absl::StrJoin(r.fetches_to_come, ", ").c_str());
    TROUPE_RETURN_IF_ERROR(session->cancel_partial_run(r.handle));
  }

  TROUPE_RETURN_IF_ERROR(session->run(two, {}, {"put"}).status());
  TROUPE_ASSIGN_OR_RETURN(const auto got, sum.get());
  std::printf("sum = %g\n", got[0].value<float>());
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status end = show();
  if (!end.ok()) std::fprintf(stderr, "%s\n", end.ToString().c_str());
  return end.ok() ? 0 : 1;
}

// Prints:
// take (QueueDequeueV2) on ...: running
// sum (AddV2) on ...: waits for take
// partial run: to be fed x, to be fetched sum:0
// sum = 4
