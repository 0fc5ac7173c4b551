// Servers of the C API. What their clients see is in tests/actors/grpc_door.
#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <string>

#include "tensorflow/c/c_api_experimental.h"
#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

using Server = std::unique_ptr<TF_Server, Deleter<TF_DeleteServer>>;

/// A server of a ServerDef in text format.
Server make_server(const std::string& text, TF_Status* s) {
  const BufferPtr def(TFE_GetServerDef(text.c_str(), s));
  EXPECT_EQ(TF_GetCode(s), TF_OK) << TF_Message(s);
  return Server(TF_NewServer(def->data, def->length, s));
}

constexpr char kLocal[] =
    "protocol: 'grpc' job_name: 'w' cluster { job { name: 'w' tasks { key: 0 value: 'localhost:0' } } }";

/// Whether somebody listens at "grpc://localhost:PORT".
bool listens(const std::string& target) {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(std::stoi(target.substr(target.rfind(':') + 1))));
  const bool connected = ::connect(s, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  ::close(s);
  return connected;
}

class CServer : public testing::Test {
 protected:
  /// Skips the test where this build has no gRPC.
  Server local_server() {
    Server server = make_server(kLocal, s.get());
    if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) return nullptr;
    EXPECT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
    return server;
  }

  Status s{TF_NewStatus()};
};

TEST_F(CServer, listens_until_it_is_stopped) {
  const Server server = local_server();
  if (server == nullptr) GTEST_SKIP() << TF_Message(s.get());
  const std::string target = TF_ServerTarget(server.get());
  EXPECT_THAT(target, MatchesRegex("grpc://localhost:[0-9]+"));
  TF_ServerStart(server.get(), s.get());
  TF_ServerStart(server.get(), s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK) << "twice is once";
  EXPECT_TRUE(listens(target));
  TF_ServerStop(server.get(), s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK);
  EXPECT_FALSE(listens(target));
  TF_ServerStart(server.get(), s.get());
  EXPECT_EQ(describe(s), "9: Server has stopped.");
}

TEST_F(CServer, join_waits_for_the_stop) {
  const Server server = local_server();
  if (server == nullptr) GTEST_SKIP() << TF_Message(s.get());
  TF_ServerStart(server.get(), s.get());
  auto joined = std::async(std::launch::async, [&] {
    const Status own(TF_NewStatus());
    TF_ServerJoin(server.get(), own.get());
    return TF_GetCode(own.get());
  });
  EXPECT_EQ(joined.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  TF_ServerStop(server.get(), s.get());
  EXPECT_EQ(joined.get(), TF_OK);
  TF_ServerJoin(server.get(), s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK) << "it has stopped";
}

TEST_F(CServer, one_that_never_started_has_nothing_to_be_joined) {
  const Server server = local_server();
  if (server == nullptr) GTEST_SKIP() << TF_Message(s.get());
  TF_ServerJoin(server.get(), s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK);
}

TEST_F(CServer, refuses_definitions_that_are_none) {
  EXPECT_EQ(TF_NewServer("\xff\xff", 2, s.get()), nullptr);
  EXPECT_EQ(describe(s), "3: Could not parse provided bytes into a ServerDef protocol buffer");
  EXPECT_EQ(TF_NewServer("", 0, s.get()), nullptr);
  EXPECT_THAT(describe(s), StartsWith("5: No server factory registered for the given ServerDef"));
  const std::string cluster = "cluster { job { name: 'v' tasks { key: 0 value: 'localhost:0' } } }";
  EXPECT_EQ(make_server("protocol: 'grpc' job_name: 'w' " + cluster, s.get()), nullptr);
  EXPECT_EQ(describe(s), "13: Job \"w\" was not defined in cluster");
  EXPECT_EQ(make_server("protocol: 'grpc' job_name: 'v' task_index: 1 " + cluster, s.get()), nullptr);
  EXPECT_EQ(describe(s), "13: Task 1 was not defined in job \"v\"");
  for (const std::string address : {"localhost", "localhost:zz", "localhost:99999"}) {
    EXPECT_EQ(make_server("protocol: 'grpc' job_name: 'v' cluster { job { name: 'v' tasks { key: 0 value: '" +
                              address + "' } } }",
                          s.get()),
              nullptr);
    EXPECT_EQ(describe(s), "3: Could not parse port for local server from \"" + address + "\".");
  }
}

TEST_F(CServer, is_known_to_be_null) {
  for (auto* call : {TF_ServerStart, TF_ServerStop, TF_ServerJoin}) {
    call(nullptr, s.get());
    EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
  }
  EXPECT_STREQ(TF_ServerTarget(nullptr), "");
  TF_DeleteServer(nullptr);
}

}  // namespace
