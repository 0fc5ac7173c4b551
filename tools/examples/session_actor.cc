// A session as an actor: spawned through the RUNTIME, spoken to with request(...).then(...). No thread blocks while the
// step runs.
#include <caf/all.hpp>
#include <cstdio>

#include "actors/errors.h"
#include "actors/interfaces.h"
#include "actors/runtime.h"
#include "graph/ir/graph.h"

namespace {

class AppConfig : public caf::actor_system_config {
 public:
  AppConfig() { troupe::configure(*this); }
};

std::shared_ptr<const troupe::Graph> product() {
  using troupe::DataType;
  auto graph = std::make_shared<troupe::Graph>();
  int a = (*graph->add_node("a", "Placeholder", {{"dtype", DataType::kFloat}}, {}))->id;
  int b = (*graph->add_node("b", "Placeholder", {{"dtype", DataType::kFloat}}, {}))->id;
  (void)graph->add_node("ab", "MatMul", {{"T", DataType::kFloat}}, {{a, 0}, {b, 0}});
  return graph;
}

/// Opens a session, gives it a graph, runs one step, and says what came out. Ends itself.
caf::behavior client(caf::event_based_actor* self, troupe::RuntimeActor runtime,
                     std::shared_ptr<int> exit_code) {
  auto fail = [=](caf::error& e) {
    std::fprintf(stderr, "%s\n", troupe::to_status(e).ToString().c_str());
    self->quit();
  };
  self->request(runtime, std::chrono::seconds(10), troupe::OpenSession{})
      .then(
          [=](const troupe::SessionActor& session) {
            self->request(session, std::chrono::seconds(10), troupe::CreateGraph{nullptr, product()})
                .then(
                    [=](troupe::Done) {
                      troupe::RunRequest run;
                      run.feeds = {{"a", troupe::Tensor::from<float>({1, 2}, {1, 2})},
                                   {"b", troupe::Tensor::from<float>({2, 1}, {3, 4})}};
                      run.fetches = {"ab"};
                      self->request(session, std::chrono::seconds(10), run)
                          .then(
                              [=](const troupe::RunReply& reply) {
                                std::printf("step %lld: a @ b = %s\n",
                                            static_cast<long long>(reply.stats.step_id),
                                            reply.fetches[0].to_string().c_str());
                                *exit_code = reply.fetches[0].flat<float>()[0] == 11 ? 0 : 1;
                                self->send_exit(session, caf::exit_reason::user_shutdown);
                                self->quit();
                              },
                              fail);
                    },
                    fail);
          },
          fail);
  return {[](int) {}};
}

}  // namespace

int main() {
  AppConfig config;
  caf::actor_system system(config);
  auto exit_code = std::make_shared<int>(1);
  auto runtime = troupe::Runtime::create(system);
  {
    caf::scoped_actor self{system};
    auto app = system.spawn(client, troupe::runtime_actor(*runtime), exit_code);
    self->wait_for(app);
  }
  return *exit_code;
}

// Prints:
// step ...: a @ b = ...
