// Several sessions in one runtime: each has a graph and variables of its own; the threads of a named pool are everybody's who names it.
#include <caf/all.hpp>
#include <cstdio>
#include <thread>

#include "actors/errors.h"
#include "actors/interfaces.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"

namespace {

constexpr int kSessions = 3;
constexpr int kRuns = 200;

/// A counter that grows by `step`.
absl::StatusOr<troupe::Graph> counter(float step) {
  troupe::GraphBuilder g;
  const auto count = g.variable(troupe::Tensor::scalar<float>(0), "count");
  g.init_all("init");
  g.group({g.assign_add(count, g.constant(step))}, "grow");
  g.read(count, "read");
  return g.build();
}

absl::Status show() {
  const auto runtime = troupe::Runtime::create();
  troupe::SessionOptions options;
  options.inter_op_pools = {{2, "everybody's"}};
  std::vector<std::unique_ptr<troupe::Session>> sessions;
  for (int i = 0; i < kSessions; ++i) {
    TROUPE_ASSIGN_OR_RETURN(auto session, troupe::Session::open(*runtime, options));
    TROUPE_ASSIGN_OR_RETURN(troupe::Graph graph, counter(static_cast<float>(i + 1)));
    TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));
    TROUPE_RETURN_IF_ERROR(session->run({}, {}, {"init"}).status());
    sessions.push_back(std::move(session));
  }
  // Any thread may run steps of any session, at the same time.
  std::vector<std::jthread> threads;
  for (const auto& session : sessions) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRuns; ++i) (void)session->run({}, {}, {"grow"});
    });
  }
  threads.clear();
  for (const auto& session : sessions) {
    TROUPE_ASSIGN_OR_RETURN(const auto count, session->run({}, {"read"}));
    std::printf("count = %g after %lld runs\n", count[0].value<float>(),
                static_cast<long long>(session->counters().runs));
  }
  absl::Status answered = absl::OkStatus();
  caf::scoped_actor self{runtime->system()};
  self->request(troupe::runtime_actor(*runtime), std::chrono::seconds(10), troupe::RuntimeStatusRequest{})
      .receive(
          [](const troupe::RuntimeStatus& status) {
            std::printf("%lld sessions\n", static_cast<long long>(status.sessions));
            for (const troupe::PoolStatus& pool : status.pools)
              if (pool.name == "everybody's")
                std::printf("pool %s: %d threads\n", pool.name.c_str(), pool.max_threads);
          },
          [&](caf::error& error) { answered = troupe::to_status(error); });
  return answered;
}

}  // namespace

int main() {
  const absl::Status end = show();
  if (!end.ok()) std::fprintf(stderr, "%s\n", end.ToString().c_str());
  return end.ok() ? 0 : 1;
}

// Prints:
// count = 200 after 202 runs
// count = 400 after 202 runs
// count = 600 after 202 runs
// 3 sessions
// pool everybody's: 2 threads
