// Servers of the C API that are the tasks of one cluster.
#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <string>
#include <vector>

#include "tensorflow/c/c_api_experimental.h"
#include "tests/actors/c_api/c_graph.h"

using namespace c_test;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using Server = std::unique_ptr<TF_Server, Deleter<TF_DeleteServer>>;

/// Ports that nobody listens on.
std::vector<int> free_ports(size_t n) {
  std::vector<int> sockets, ports;
  for (size_t i = 0; i < n; ++i) {
    sockets.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    ports.push_back(ntohs(address.sin_port));
  }
  for (int s : sockets) ::close(s);
  return ports;
}

/// A parameter server and two workers, as tf.train.Server makes them.
class CServerCluster : public testing::Test {
 protected:
  CServerCluster() {
    const std::vector<int> ports = free_ports(3);
    cluster_ = "cluster { job { name: 'ps' tasks { key: 0 value: '" + at(ports[0]) +
               "' } } job { name: 'worker' tasks { key: 0 value: '" + at(ports[1]) +
               "' } tasks { key: 1 value: '" + at(ports[2]) + "' } } }";
  }
  static std::string at(int port) { return "localhost:" + std::to_string(port); }

  Server start(const std::string& job, int index, const std::string& more = "") {
    return start(job, index, more, s.get());
  }
  Server start(const std::string& job, int index, const std::string& more, TF_Status* status) {
    const std::string text =
        "protocol: 'grpc' job_name: '" + job + "' task_index: " + std::to_string(index) + " " + cluster_ + more;
    const BufferPtr def(TFE_GetServerDef(text.c_str(), status));
    EXPECT_EQ(TF_GetCode(status), TF_OK) << TF_Message(status);
    Server server(TF_NewServer(def->data, def->length, status));
    if (server != nullptr) TF_ServerStart(server.get(), status);
    return server;
  }
  /// All three; false, and the test is skipped, where this build has no gRPC.
  bool start_all() {
    ps_ = start("ps", 0);
    if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) return false;
    first_ = start("worker", 0);
    second_ = start("worker", 1);
    EXPECT_TRUE(ps_ && first_ && second_) << TF_Message(s.get());
    return ps_ && first_ && second_;
  }
  static TF_Session* open(TF_Graph* graph, TF_Server* at, TF_Status* status) {
    const OptionsPtr options(TF_NewSessionOptions());
    TF_SetTarget(options.get(), TF_ServerTarget(at));
    return TF_NewSession(graph, options.get(), status);
  }
  float run(TF_Session* session, const std::vector<TF_Output>& fetch,
            const std::vector<const TF_Operation*>& targets = {}) {
    std::vector<TF_Tensor*> fetched(fetch.size(), nullptr);
    TF_SessionRun(session, nullptr, nullptr, nullptr, 0, fetch.data(), fetched.data(),
                  static_cast<int>(fetch.size()), targets.data(), static_cast<int>(targets.size()), nullptr, s.get());
    if (TF_GetCode(s.get()) != TF_OK || fetch.empty()) return -1;
    const TensorPtr owned(fetched[0]);
    return floats(owned.get()).at(0);
  }
  void close(TF_Session* session) {
    const Status own(TF_NewStatus());
    TF_CloseSession(session, own.get());
    TF_DeleteSession(session, own.get());
  }

  Status s{TF_NewStatus()};
  std::string cluster_;
  Server ps_, first_, second_;
};

/// A variable on the parameter server, which the worker of that number counts up by it.
struct Counting {
  explicit Counting(int worker) {
    Graph& g = graph;
    const Status s(TF_NewStatus());
    const auto op = [&](const char* type, const char* name, const std::string& device) {
      TF_OperationDescription* d = TF_NewOperation(g.get(), type, name);
      TF_SetDevice(d, device.c_str());
      return d;
    };
    const std::string ps = "/job:ps/task:0", here = "/job:worker/task:" + std::to_string(worker);
    const auto done = [&](TF_OperationDescription* d) {
      TF_Operation* made = TF_FinishOperation(d, s.get());
      EXPECT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
      return made;
    };
    const auto constant = [&](const char* name, float value) {
      auto* d = op("Const", name, here);
      const TensorPtr t = float_scalar(value);
      TF_SetAttrTensor(d, "value", t.get(), s.get());
      TF_SetAttrType(d, "dtype", TF_FLOAT);
      return TF_Output{done(d), 0};
    };
    auto* d = op("VarHandleOp", "v", ps);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", nullptr, 0);
    TF_SetAttrString(d, "shared_name", "v", 1);
    const TF_Output v{done(d), 0};
    const auto assign = [&](const char* type, const char* name, TF_Output value) {
      auto* a = op(type, name, ps);
      TF_AddInput(a, v);
      TF_AddInput(a, value);
      TF_SetAttrType(a, "dtype", TF_FLOAT);
      return done(a);
    };
    init = assign("AssignVariableOp", "init", constant("zero", 0));
    add = assign("AssignAddVariableOp", "add", constant("step", static_cast<float>(worker + 1)));
    d = op("ReadVariableOp", "read", ps);
    TF_AddInput(d, v);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    const TF_Output value{done(d), 0};
    d = op("Identity", "here", here);
    TF_AddInput(d, value);
    read = {done(d), 0};
  }

  Graph graph;
  TF_Operation* init;
  TF_Operation* add;
  TF_Output read;
};

TEST_F(CServerCluster, workers_share_the_variables_of_their_parameter_server) {
  if (!start_all()) GTEST_SKIP() << TF_Message(s.get());
  Counting one(0), two(1);
  TF_Session* const chief = open(one.graph.get(), first_.get(), s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  TF_Session* const other = open(two.graph.get(), second_.get(), s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  run(chief, {}, {one.init});
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  for (int i = 0; i < 3; ++i) {
    run(chief, {}, {one.add});
    run(other, {}, {two.add});
    ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  }
  EXPECT_EQ(run(chief, {one.read}), 9) << TF_Message(s.get());
  EXPECT_EQ(run(other, {two.read}), 9) << TF_Message(s.get());
  close(chief);
  close(other);
}

TEST_F(CServerCluster, a_session_waits_for_tasks_that_are_not_there_yet) {
  first_ = start("worker", 0);
  if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) GTEST_SKIP() << TF_Message(s.get());
  ASSERT_NE(first_, nullptr) << TF_Message(s.get());
  Counting one(0);
  TF_Session* const session = open(one.graph.get(), first_.get(), s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  auto ran = std::async(std::launch::async, [&] { run(session, {}, {one.init}); });
  EXPECT_EQ(ran.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  {
    const Status own(TF_NewStatus());
    second_ = start("worker", 1, "", own.get());
    ps_ = start("ps", 0, "", own.get());
    EXPECT_TRUE(second_ && ps_) << TF_Message(own.get());
  }
  ran.get();
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  EXPECT_EQ(run(session, {one.read}), 0) << TF_Message(s.get());
  close(session);
}

TEST_F(CServerCluster, a_task_that_stops_ends_the_sessions_over_it) {
  if (!start_all()) GTEST_SKIP() << TF_Message(s.get());
  Counting one(0);
  TF_Session* const session = open(one.graph.get(), first_.get(), s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  run(session, {}, {one.init});
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  TF_ServerStop(ps_.get(), s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_OK);
  run(session, {}, {one.add});
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNAVAILABLE) << TF_Message(s.get());
  EXPECT_THAT(TF_Message(s.get()), HasSubstr("/job:ps/replica:0/task:0"));
  close(session);
}

TEST_F(CServerCluster, a_stop_lets_no_session_wait) {
  first_ = start("worker", 0);
  if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) GTEST_SKIP() << TF_Message(s.get());
  Counting one(0);
  TF_Session* const session = open(one.graph.get(), first_.get(), s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  auto ran = std::async(std::launch::async, [&] { run(session, {}, {one.init}); });
  EXPECT_EQ(ran.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  const Status own(TF_NewStatus());
  TF_ServerStop(first_.get(), own.get());
  ran.get();
  EXPECT_NE(TF_GetCode(s.get()), TF_OK);
  close(session);
}

TEST_F(CServerCluster, has_the_devices_that_its_config_says) {
  const std::string config = " default_session_config { device_count { key: 'CPU' value: 2 } }";
  first_ = start("worker", 0, config);
  if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) GTEST_SKIP() << TF_Message(s.get());
  second_ = start("worker", 1);
  ps_ = start("ps", 0);
  Counting one(0);
  TF_Session* const session = open(one.graph.get(), first_.get(), s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  TF_DeviceList* const devices = TF_SessionListDevices(session, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  std::vector<std::string> of_first;
  for (int i = 0; i < TF_DeviceListCount(devices); ++i) {
    const std::string name = TF_DeviceListName(devices, i, s.get());
    if (name.starts_with("/job:worker/replica:0/task:0")) of_first.push_back(name.substr(name.rfind('/')));
  }
  EXPECT_THAT(of_first, ElementsAre("/device:CPU:0", "/device:CPU:1"));
  TF_DeleteDeviceList(devices);
  close(session);
}

TEST_F(CServerCluster, refuses_addresses_that_are_none_or_there_twice) {
  cluster_ = "cluster { job { name: 'worker' tasks { key: 0 value: 'localhost:7777' } tasks { key: 1 value: 'nowhere' } } }";
  EXPECT_EQ(start("worker", 0), nullptr);
  EXPECT_THAT(describe(s), StartsWith("3: "));
  EXPECT_THAT(describe(s), HasSubstr("nowhere"));
  cluster_ = "cluster { job { name: 'worker' tasks { key: 0 value: 'localhost:7777' } tasks { key: 1 value: 'localhost:7777' } } }";
  EXPECT_EQ(start("worker", 0), nullptr);
  EXPECT_THAT(describe(s), StartsWith("3: "));
  EXPECT_THAT(describe(s), HasSubstr("localhost:7777"));
}

TEST_F(CServerCluster, a_port_that_is_in_use_is_nobodys) {
  first_ = start("worker", 0);
  if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) GTEST_SKIP() << TF_Message(s.get());
  EXPECT_EQ(start("worker", 0), nullptr);
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNAVAILABLE) << TF_Message(s.get());
}

}  // namespace
