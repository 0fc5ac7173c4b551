// Sessions of the C API at a node of a cluster.
#include <gmock/gmock.h>

#include <string>

#include "actors/node/cluster_node.h"
#include "actors/runtime.h"
#include "tests/actors/c_api/session_elsewhere.h"

using namespace c_test;

namespace {

using testing::HasSubstr;

/// At a cluster of one task in this process.
class CCafTarget : public SessionElsewhere {
 protected:
  void SetUp() override {
    troupe::ClusterNodeOptions one;
    one.task = {"worker", 0};
    one.num_cpus = 2;
    ASSERT_TRUE(one.cluster.add(one.task, "127.0.0.1:0").ok());
    auto started = troupe::ClusterNode::start(troupe::RuntimeOptions(), one);
    ASSERT_TRUE(started.ok()) << started.status();
    node = *std::move(started);
    target = "caf://127.0.0.1:" + std::to_string(node->port());
    open_session(target.c_str());
  }

  std::unique_ptr<troupe::ClusterNode> node;
  std::string target;
};

TEST_F(CCafTarget, runs_a_graph_that_grows) { expect_runs_of_a_graph_that_grows(); }

TEST_F(CCafTarget, lists_the_nodes_devices) {
  expect_devices(2, "/job:worker/replica:0/task:0/device:CPU:1");
}

TEST_F(CCafTarget, runs_in_turns) { expect_a_run_in_turns(); }

TEST_F(CCafTarget, is_aborted_by_a_reset) { expect_a_reset_to_abort_it(); }

TEST_F(CCafTarget, misses_a_node_that_has_gone) {
  EXPECT_EQ(run(1, g.y), 4) << TF_Message(s.get());
  node = nullptr;
  EXPECT_EQ(run(1, g.y), -1);
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNAVAILABLE) << TF_Message(s.get());
  EXPECT_THAT(TF_Message(s.get()), HasSubstr(target + " does not answer"));
  EXPECT_EQ(TF_NewSession(g.graph.get(), options.get(), s.get()), nullptr);
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNAVAILABLE) << TF_Message(s.get());
}

}  // namespace
