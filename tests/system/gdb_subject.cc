// A program for a debugger to look into: a partial run waits for its second feed, and a run for a queue that nobody fills.
#include <chrono>
#include <cstdio>
#include <thread>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph.h"

extern "C" {
/// Where the debugger stops.
__attribute__((noinline)) void everything_waits() { std::puts("everything waits"); }
}

namespace {

using troupe::DataType;

troupe::Graph waiting_graph() {
  troupe::Graph g;
  auto add = [&](const char* name, const char* op, troupe::AttrMap attrs, std::vector<troupe::Endpoint> in) {
    return (*g.add_node(name, op, std::move(attrs), std::move(in)))->id;
  };
  const troupe::AttrMap placeholder{{"dtype", DataType::kFloat}, {"shape", troupe::PartialShape()}};
  const int a = add("a", "Placeholder", placeholder, {});
  const int b = add("b", "Placeholder", placeholder, {});
  add("sum", "AddV2", {{"T", DataType::kFloat}}, {{a, 0}, {b, 0}});
  const std::vector<DataType> types{DataType::kFloat};
  const int queue = add("queue", "FIFOQueueV2",
                        {{"component_types", types},
                         {"shapes", std::vector<troupe::PartialShape>()},
                         {"capacity", int64_t{1}},
                         {"container", std::string()},
                         {"shared_name", std::string("queue")}},
                        {});
  add("next", "QueueDequeueV2", {{"component_types", types}, {"timeout_ms", int64_t{-1}}}, {{queue, 0}});
  return g;
}

}  // namespace

int main() {
  const auto runtime = troupe::Runtime::create();
  auto session = troupe::Session::open(*runtime);
  if (!session.ok() || !(*session)->create(waiting_graph()).ok()) return 1;
  const auto handle = (*session)->partial_run_setup({"a", "b"}, {"sum:0"});
  if (!handle.ok()) return 1;
  if (!(*session)->partial_run(*handle, {{"a", troupe::Tensor::scalar<float>(1)}}, {}).ok()) return 1;
  auto next = (*session)->run_async({}, {"next"});
  // Until both have come as far as they can.
  for (int told = 0; told < 2;) {
    const auto reports = (*session)->inspect();
    if (!reports.ok()) return 1;
    told = 0;
    for (const troupe::StepReport& report : *reports) {
      for (const std::string& line : report.frontier)
        told += line.find("next (QueueDequeueV2)") != std::string::npos ||
                line.find("sum (AddV2)") != std::string::npos;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  everything_waits();
  return 0;
}
