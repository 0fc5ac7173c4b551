// A callable: a signature that is prepared once, so that its runs name nothing. Feeds and fetches are tensors in the order of its options.
#include <array>
#include <cstdio>
#include <future>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"

namespace {

using troupe::Tensor;

/// next = x / 2 + 1 / x: Newton's step towards the root of 2.
absl::StatusOr<troupe::Graph> make_graph() {
  troupe::GraphBuilder g;
  const auto x = g.placeholder(troupe::DataType::kDouble, {}, "x");
  g.add(g.div(x, g.constant(2.0)), g.div(g.constant(1.0), x), "next");
  return g.build();
}

absl::Status show() {
  const auto runtime = troupe::Runtime::create();
  TROUPE_ASSIGN_OR_RETURN(const auto session, troupe::Session::open(*runtime));
  TROUPE_ASSIGN_OR_RETURN(troupe::Graph graph, make_graph());
  TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));

  troupe::CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"next:0"};
  TROUPE_ASSIGN_OR_RETURN(const troupe::CallableHandle handle, session->make_callable(options));
  std::array<Tensor, 1> x = {Tensor::scalar(1.0)};
  for (int step = 1; step <= 4; ++step) {
    TROUPE_RETURN_IF_ERROR(session->run_callable(handle, x, x));
    std::printf("step %d: %.9f\n", step, x[0].value<double>());
  }

  // Pinned, it need not be looked up; it can be begun and not waited for, too.
  TROUPE_ASSIGN_OR_RETURN(const auto pinned, session->pin_callable(handle));
  std::promise<double> last;
  (void)session->run_async(*pinned, {x[0]}, [&](absl::StatusOr<std::vector<Tensor>> fetches, const auto&) {
    last.set_value(fetches.ok() ? (*fetches)[0].value<double>() : 0);
  });
  std::printf("step 5: %.9f\n", last.get_future().get());

  TROUPE_RETURN_IF_ERROR(session->release_callable(handle));
  std::printf("released: %s\n", session->run_callable(handle, x, x).ToString().c_str());
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status end = show();
  if (!end.ok()) std::fprintf(stderr, "%s\n", end.ToString().c_str());
  return end.ok() ? 0 : 1;
}

// Prints:
// step 1: 1.500000000
// step 2: 1.416666667
// step 3: 1.414215686
// step 4: 1.414213562
// step 5: 1.414213562
// released: INVALID_ARGUMENT: Attempted to run callable after handle was released: ...
