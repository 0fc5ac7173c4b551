// Fetches that are told as soon as each is there: the first is used while the step still waits for what the second needs.
#include <cstdio>
#include <future>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"

namespace {

using troupe::DataType;
using troupe::Tensor;

/// early = x * x; late = what is taken from a queue.
absl::StatusOr<troupe::Graph> make_graph() {
  troupe::GraphBuilder g;
  const troupe::AttrMap floats{{"component_types", std::vector<DataType>{DataType::kFloat}}};
  const auto x = g.placeholder(DataType::kFloat, {}, "x");
  g.mul(x, x, "early");
  const auto queue = g.op("FIFOQueueV2", {}, floats, "queue");
  g.op("QueueDequeueV2", {queue}, floats, "late");
  g.op("QueueEnqueueV2", {queue, std::vector<troupe::Out>{x}}, {}, "put");
  return g.build();
}

absl::Status show() {
  const auto runtime = troupe::Runtime::create();
  TROUPE_ASSIGN_OR_RETURN(const auto session, troupe::Session::open(*runtime));
  TROUPE_ASSIGN_OR_RETURN(troupe::Graph graph, make_graph());
  TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));

  std::promise<Tensor> early;
  std::promise<absl::Status> over;
  const std::vector<std::string> fetches = {"late:0", "early:0"};
  // Both are called on a thread of the actor system, which they must not hold.
  const auto hear = [&](size_t index, const Tensor& value) {
    std::printf("%s = %g\n", fetches[index].c_str(), value.value<float>());
    if (index == 1) early.set_value(value);
  };
  const auto done = [&](const auto& all, const troupe::RunStats&) { over.set_value(all.status()); };
  (void)session->run_streamed({{"x", Tensor::scalar<float>(3)}}, fetches, {}, hear, done);

  // The step would never end without this run, which is made of the step's own first result.
  const Tensor first = early.get_future().get();
  TROUPE_RETURN_IF_ERROR(session->run({{"x", first}}, {}, {"put"}).status());
  const absl::Status end = over.get_future().get();
  std::printf("%s\n", end.ToString().c_str());
  return end;
}

}  // namespace

int main() {
  const absl::Status end = show();
  if (!end.ok()) std::fprintf(stderr, "%s\n", end.ToString().c_str());
  return end.ok() ? 0 : 1;
}

// Prints:
// early:0 = 9
// late:0 = 9
// OK
