// Sessions of the C API at a server of the C API.
#include <gmock/gmock.h>

#include <string>

#include "tensorflow/c/c_api_experimental.h"
#include "tests/actors/c_api/session_elsewhere.h"

using namespace c_test;

namespace {

using testing::HasSubstr;

using Server = std::unique_ptr<TF_Server, Deleter<TF_DeleteServer>>;

constexpr char kServer[] =
    "protocol: 'grpc' job_name: 'w' cluster { job { name: 'w' tasks { key: 0 value: 'localhost:0' } } }";

/// At a server in this process.
class CRemoteSession : public SessionElsewhere {
 protected:
  void SetUp() override {
    const BufferPtr def(TFE_GetServerDef(kServer, s.get()));
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    server.reset(TF_NewServer(def->data, def->length, s.get()));
    if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) GTEST_SKIP() << TF_Message(s.get());
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    TF_ServerStart(server.get(), s.get());
    open_session(TF_ServerTarget(server.get()));
  }

  Server server;
};

TEST_F(CRemoteSession, runs_a_graph_that_grows) {
  expect_runs_of_a_graph_that_grows();
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
  expect_devices(1, "/job:w/replica:0/task:0/device:CPU:0");
}

TEST_F(CRemoteSession, runs_in_turns) { expect_a_run_in_turns(); }

TEST_F(CRemoteSession, is_aborted_by_a_reset) { expect_a_reset_to_abort_it(); }

TEST_F(CRemoteSession, misses_a_server_that_has_stopped) {
  EXPECT_EQ(run(1, g.y), 4) << TF_Message(s.get());
  TF_ServerStop(server.get(), s.get());
  EXPECT_EQ(run(1, g.y), -1);
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNAVAILABLE) << TF_Message(s.get());
  EXPECT_THAT(TF_Message(s.get()), HasSubstr("does not answer"));
}

}  // namespace
