// Troupe inside an application that has its own actor system: the application's configuration goes through
// troupe::configure, the runtime lives in its system, and its own actors run beside ours.
#include <caf/all.hpp>
#include <cstdio>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph.h"

namespace {

class AppConfig : public caf::actor_system_config {
 public:
  AppConfig() { troupe::configure(*this); }
};

/// x @ x for a matrix that is fed.
troupe::Graph square() {
  using troupe::DataType;
  troupe::Graph graph;
  int x = (*graph.add_node("x", "Placeholder", {{"dtype", DataType::kFloat}}, {}))->id;
  (void)graph.add_node("y", "MatMul", {{"T", DataType::kFloat}}, {{x, 0}, {x, 0}});
  return graph;
}

}  // namespace

int main() {
  AppConfig config;
  caf::actor_system system(config);
  caf::scoped_actor self{system};
  auto greeter = system.spawn([](caf::event_based_actor*) -> caf::behavior {
    return {[](const std::string& name) { return "hello, " + name; }};
  });
  {
    auto runtime = troupe::Runtime::create(system);
    auto session = troupe::Session::open(*runtime);
    if (!session.ok() || !(*session)->create(square()).ok()) return 1;
    auto x = troupe::Tensor::from<float>({2, 2}, {1, 2, 3, 4});
    auto out = (*session)->run({{"x", x}}, {"y"});
    if (!out.ok()) {
      std::fprintf(stderr, "%s\n", out.status().ToString().c_str());
      return 1;
    }
    std::printf("x @ x = %s\n", (*out)[0].to_string().c_str());
    if ((*out)[0].flat<float>()[3] != 22) return 1;
  }
  // The runtime is gone; the application's actors are not.
  int failed = 1;
  self->request(greeter, std::chrono::seconds(5), std::string("world"))
      .receive([&](const std::string& text) { failed = text == "hello, world" ? 0 : 1; }, [](caf::error&) {});
  self->send_exit(greeter, caf::exit_reason::user_shutdown);
  return failed;
}

// Prints:
// x @ x = ...
