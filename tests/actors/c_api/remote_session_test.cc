// Sessions of the C API at a server of the C API.
#include <gmock/gmock.h>

#include <string>

#include "tensorflow/c/c_api_experimental.h"
#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

using testing::HasSubstr;

using Server = std::unique_ptr<TF_Server, Deleter<TF_DeleteServer>>;

constexpr char kServer[] =
    "protocol: 'grpc' job_name: 'w' cluster { job { name: 'w' tasks { key: 0 value: 'localhost:0' } } }";

/// A server in this process, and y = x + 3.
class CRemoteSession : public testing::Test {
 protected:
  void SetUp() override {
    const BufferPtr def(TFE_GetServerDef(kServer, s.get()));
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    server.reset(TF_NewServer(def->data, def->length, s.get()));
    if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) GTEST_SKIP() << TF_Message(s.get());
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    TF_ServerStart(server.get(), s.get());
    TF_SetTarget(options.get(), TF_ServerTarget(server.get()));
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
  Server server;
  AddThree g;
  TF_Session* session = nullptr;
};

TEST_F(CRemoteSession, runs_a_graph_that_grows) {
  // The second of its kind is a callable.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run(static_cast<float>(i), g.y), i + 3) << TF_Message(s.get());
  const TF_Output z = g.graph.binary("AddV2", "z", g.y, g.three);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run(static_cast<float>(i), z), i + 6) << TF_Message(s.get());
  EXPECT_EQ(run(1, g.y), 4) << TF_Message(s.get());
}

TEST_F(CRemoteSession, says_what_is_wrong) {
  TF_Output none{g.y.oper, 7};
  EXPECT_EQ(run(1, none), -1);
  EXPECT_NE(TF_GetCode(s.get()), TF_OK);
  EXPECT_THAT(TF_Message(s.get()), HasSubstr("does not have output 7"));
  EXPECT_EQ(run(1, g.y), 4) << "the session goes on";
}

TEST_F(CRemoteSession, lists_the_servers_devices) {
  TF_DeviceList* const devices = TF_SessionListDevices(session, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  ASSERT_EQ(TF_DeviceListCount(devices), 1);
  EXPECT_STREQ(TF_DeviceListName(devices, 0, s.get()), "/job:w/replica:0/task:0/device:CPU:0");
  TF_DeleteDeviceList(devices);
}

TEST_F(CRemoteSession, runs_in_turns) {
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

TEST_F(CRemoteSession, is_aborted_by_a_reset) {
  EXPECT_EQ(run(1, g.y), 4) << TF_Message(s.get());
  TF_Reset(options.get(), nullptr, 0, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  EXPECT_EQ(run(1, g.y), -1);
  EXPECT_EQ(TF_GetCode(s.get()), TF_ABORTED) << TF_Message(s.get());
}

TEST_F(CRemoteSession, misses_a_server_that_has_stopped) {
  EXPECT_EQ(run(1, g.y), 4) << TF_Message(s.get());
  TF_ServerStop(server.get(), s.get());
  EXPECT_EQ(run(1, g.y), -1);
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNAVAILABLE) << TF_Message(s.get());
  EXPECT_THAT(TF_Message(s.get()), HasSubstr("does not answer"));
}

}  // namespace
