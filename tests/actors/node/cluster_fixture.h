#pragma once

#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "actors/node/cluster_node.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "proto/graph.pb.h"
#include "actors/interfaces.h"
#include "tests/support/graph_text.h"

namespace troupe::test {

/// "/job:worker/replica:0/task:1"
std::string task_name(int index);
/// The field of a node's text that places it on a task.
std::string on_task(int index);

/// Nodes of the job "worker" in this process, each with an actor system and a runtime of its own: they speak through sockets alone.
class TestCluster {
 protected:
  struct Machine {
    struct Config : caf::actor_system_config {
      Config() {
        configure(*this);
        configure_network(*this);
        set("scheduler.max-threads", size_t{2});
      }
    };
    explicit Machine(const RuntimeOptions& options = {}) : runtime(Runtime::create(system, options)) {}
    Config config;
    caf::actor_system system{config};
    std::unique_ptr<Runtime> runtime;
    std::unique_ptr<ClusterNode> node;
  };

  /// Chooses ports for so many tasks; none is started. `host`: of the loopback.
  void plan(int tasks, const std::string& host = "127.0.0.1");
  /// Starts a task, or starts it again.
  void start(int task);
  void stop(int task) { machines_[task] = nullptr; }
  /// `plan` and `start` of all.
  void start_all(int tasks);
  /// How many sessions a task has open; -1 when its runtime has ended.
  int64_t sessions_on(int task);
  /// Whether a task has that many within five seconds.
  bool comes_to_have(int task, int64_t sessions);
  /// The same of its node, whose sessions count from when somebody asks for them.
  bool comes_to_open(int task, size_t sessions);

  ClusterNodeOptions options_;
  RuntimeOptions runtime_options_;
  std::vector<std::unique_ptr<Machine>> machines_;
};

class ClusterTest : public testing::Test, protected TestCluster {
 protected:
  /// On task 0, whose master it is then.
  std::unique_ptr<Session> open(const std::string& graph_text, const SessionOptions& options = {});
};

}  // namespace troupe::test
