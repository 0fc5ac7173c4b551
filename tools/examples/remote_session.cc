// A session at a node of a cluster, for actors of a program that is no task of it: the SESSION that they speak to is an actor of
// theirs, and stands for the one there. The node is in this program, too, with an actor system of its own; `troupe serve --cluster` is another.
#include <caf/all.hpp>
#include <cstdio>
#include <string>

#include "actors/errors.h"
#include "actors/interfaces.h"
#include "actors/node/cluster_node.h"
#include "actors/node_client/caf_sessions.h"
#include "actors/runtime.h"
#include "graph/ir/graph.h"

namespace {

class AppConfig : public caf::actor_system_config {
 public:
  AppConfig() { troupe::configure(*this); }
};

/// y = -x, on the node's task.
std::shared_ptr<const troupe::Graph> negation() {
  auto graph = std::make_shared<troupe::Graph>();
  const int x = (*graph->add_node("x", "Placeholder", {{"dtype", troupe::DataType::kFloat}}, {}))->id;
  (void)graph->add_node("y", "Neg", {{"T", troupe::DataType::kFloat}}, {{x, 0}}, {}, "/job:worker/task:0");
  return graph;
}

/// Opens a session at that target, gives it a graph, runs one step, and says what came out. Ends itself, and the session.
caf::behavior client(caf::event_based_actor* self, const troupe::RuntimeActor& runtime,
                     const std::string& target, std::shared_ptr<int> exit_code) {
  const auto fail = [=](caf::error& e) {
    std::fprintf(stderr, "%s\n", troupe::to_status(e).ToString().c_str());
    self->quit();
  };
  const auto run = [=](const troupe::SessionActor& session) {
    troupe::RunRequest step;
    step.feeds = {{"x", troupe::Tensor::scalar<float>(42)}};
    step.fetches = {"y"};
    self->request(session, caf::infinite, step)
        .then(
            [=](const troupe::RunReply& reply) {
              std::printf("y = %s\n", reply.fetches[0].to_string().c_str());
              *exit_code = reply.fetches[0].value<float>() == -42 ? 0 : 1;
              // The session there ends with the one here.
              self->send_exit(session, caf::exit_reason::user_shutdown);
              self->quit();
            },
            fail);
  };
  troupe::OpenSession open;
  open.options.target = target;
  self->request(runtime, caf::infinite, open)
      .then(
          [=](const troupe::SessionActor& session) {
            self->request(session, caf::infinite, troupe::CreateGraph{nullptr, negation()})
                .then([=](troupe::Done) { run(session); }, fail);
          },
          fail);
  return {[](int) {}};
}

absl::Status run_client(const std::string& target, const std::shared_ptr<int>& exit_code) {
  AppConfig config;
  caf::actor_system system(config);
  const auto runtime = troupe::Runtime::create(system);
  if (const absl::Status added = troupe::add_caf_sessions(*runtime); !added.ok()) return added;
  caf::scoped_actor self{system};
  self->wait_for(system.spawn(client, troupe::runtime_actor(*runtime), target, exit_code));
  return absl::OkStatus();
}

}  // namespace

int main() {
  troupe::ClusterNodeOptions options;
  options.task = {"worker", 0};
  if (!options.cluster.add(options.task, "127.0.0.1:0").ok()) return 1;
  const auto node = troupe::ClusterNode::start(troupe::RuntimeOptions(), options);
  if (!node.ok()) return 1;
  auto exit_code = std::make_shared<int>(1);
  const std::string target = "caf://127.0.0.1:" + std::to_string((*node)->port());
  if (!run_client(target, exit_code).ok()) return 1;
  return *exit_code;
}

// Prints:
// y = ...
