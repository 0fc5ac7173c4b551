// Sessions of the C API at a node of a cluster.
#include <gmock/gmock.h>

#include <string>

#include "actors/node/cluster_node.h"
#include "actors/runtime.h"
#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

using testing::HasSubstr;

/// A cluster of one task in this process, and y = x + 3.
class CCafTarget : public testing::Test {
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
    TF_SetTarget(options.get(), target.c_str());
    session = TF_NewSession(g.graph.get(), options.get(), s.get());
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  }
  void TearDown() override {
    const Status own(TF_NewStatus());
    if (session != nullptr) TF_DeleteSession(session, own.get());
  }
  /// `fetch` for x; -1 after an error, which `s` has.
  float run(float x, TF_Output fetch) {
    const TensorPtr fed = float_scalar(x);
    TF_Tensor* const values[] = {fed.get()};
    TF_Tensor* fetched = nullptr;
    TF_SessionRun(session, nullptr, &g.x, values, 1, &fetch, &fetched, 1, nullptr, 0, nullptr, s.get());
    const TensorPtr owned(fetched);
    return TF_GetCode(s.get()) == TF_OK ? floats(fetched).at(0) : -1;
  }

  Status s{TF_NewStatus()};
  OptionsPtr options{TF_NewSessionOptions()};
  std::unique_ptr<troupe::ClusterNode> node;
  std::string target;
  AddThree g;
  TF_Session* session = nullptr;
};

TEST_F(CCafTarget, runs_a_graph_that_grows) {
  // The second of its kind is a callable.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run(static_cast<float>(i), g.y), i + 3) << TF_Message(s.get());
  const TF_Output z = g.graph.binary("AddV2", "z", g.y, g.three);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run(static_cast<float>(i), z), i + 6) << TF_Message(s.get());
}

TEST_F(CCafTarget, lists_the_nodes_devices) {
  TF_DeviceList* const devices = TF_SessionListDevices(session, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  ASSERT_EQ(TF_DeviceListCount(devices), 2);
  EXPECT_STREQ(TF_DeviceListName(devices, 1, s.get()), "/job:worker/replica:0/task:0/device:CPU:1");
  TF_DeleteDeviceList(devices);
}

TEST_F(CCafTarget, runs_in_turns) {
  const char* handle = nullptr;
  TF_SessionPRunSetup(session, &g.x, 1, &g.y, 1, nullptr, 0, &handle, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  const TensorPtr fed = float_scalar(4);
  TF_Tensor* const values[] = {fed.get()};
  TF_Tensor* fetched = nullptr;
  TF_SessionPRun(session, handle, &g.x, values, 1, &g.y, &fetched, 1, nullptr, 0, s.get());
  const TensorPtr owned(fetched);
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  EXPECT_EQ(floats(fetched).at(0), 7);
  TF_DeletePRunHandle(handle);
}

TEST_F(CCafTarget, is_aborted_by_a_reset) {
  EXPECT_EQ(run(1, g.y), 4) << TF_Message(s.get());
  TF_Reset(options.get(), nullptr, 0, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  EXPECT_EQ(run(1, g.y), -1);
  EXPECT_EQ(TF_GetCode(s.get()), TF_ABORTED) << TF_Message(s.get());
}

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
