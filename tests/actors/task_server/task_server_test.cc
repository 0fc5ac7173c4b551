// Servers that are tasks of clusters at one address, and of clusters that sessions bring.
#include "actors/task_server/task_server.h"

#include <caf/all.hpp>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include <future>
#include <string>
#include <vector>

#include "actors/grpc_client/grpc_sessions.h"
#include "actors/session.h"
#include "actors/task_server/guest_nodes.h"
#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "tests/support/graph_text.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using namespace graph_text;

const std::string kFloat = attr("T", "type: DT_FLOAT");
const std::string kDtype = attr("dtype", "type: DT_FLOAT");

std::string on(const std::string& device) { return "device: '" + device + "' "; }

tensorflow::GraphDef graph_of(const std::string& text) {
  tensorflow::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
  return graph;
}

/// x, fed, there and back: y = x + x on `there`, z = y * y on `here`.
tensorflow::GraphDef there_and_back(const std::string& here, const std::string& there) {
  return graph_of(node("x", "Placeholder", {}, kDtype + on(here)) +
                  node("y", "AddV2", {"x", "x"}, kFloat + on(there)) +
                  node("z", "Mul", {"y", "y"}, kFloat + on(here)));
}

/// A variable "v" on a device: "set" makes it 1, "add" counts it up.
tensorflow::GraphDef counter(const std::string& device) {
  const std::string one =
      node("one", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on(device));
  return graph_of(one +
                  node("v", "VarHandleOp", {},
                       kDtype + attr("shape", "shape {}") + attr("shared_name", "s: 'v'") + on(device)) +
                  node("set", "AssignVariableOp", {"v", "one"}, kDtype + on(device)) +
                  node("add", "AssignAddVariableOp", {"v", "one"}, kDtype + on(device)) +
                  node("read", "ReadVariableOp", {"v"}, kDtype + on(device)));
}

/// Servers, each started for itself, and a runtime that is their client.
class TaskServerTest : public testing::Test {
 protected:
  TaskServerTest() { EXPECT_TRUE(add_grpc_sessions(*client_).ok()); }

  /// A server of one task of that job.
  TaskServer& start(const std::string& job = "local", int cpus = 1) {
    TaskServerOptions options;
    options.node.task = {job, 0};
    EXPECT_TRUE(options.node.cluster.add(options.node.task, "localhost:0").ok());
    options.node.open_patience = open_patience_;
    options.node.num_cpus = cpus;
    options.server.default_config =
        SessionOptions::from_config_text(absl::StrCat("device_count { key: 'CPU' value: ", cpus, " }"))
            ->config;
    auto server = TaskServer::start(options);
    EXPECT_TRUE(server.ok()) << server.status();
    servers_.push_back(*std::move(server));
    return *servers_.back();
  }
  std::string address(int i) const { return "localhost:" + std::to_string(servers_[i]->port()); }
  /// ConfigProto of a session over a cluster of the job "worker" with these servers.
  std::string bringing(const std::vector<int>& servers, const std::string& more = "") const {
    std::string tasks;
    for (size_t i = 0; i < servers.size(); ++i)
      tasks += " tasks { key: " + std::to_string(i) + " value: '" + address(servers[i]) + "' }";
    return "cluster_def { job { name: 'worker'" + tasks + " } } " + more;
  }
  absl::StatusOr<std::unique_ptr<Session>> open(int at, const std::string& config_text,
                                                const tensorflow::GraphDef& graph) {
    auto options = SessionOptions::from_config_text(config_text);
    EXPECT_TRUE(options.ok()) << options.status();
    options->target = servers_[at]->target();
    auto session = Session::open(*client_, *options);
    if (!session.ok()) return session.status();
    const absl::Status created = (*session)->create(graph);
    if (!created.ok()) return created;
    return session;
  }
  static float only(const absl::StatusOr<std::vector<Tensor>>& fetched) {
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() ? (*fetched)[0].value<float>() : -1;
  }
  static float square_of_twice(Session& session, float x) {
    return only(session.run({{"x", Tensor::scalar<float>(x)}}, {"z:0"}));
  }

  std::chrono::milliseconds open_patience_{5000};
  std::unique_ptr<Runtime> client_ = Runtime::create();
  std::vector<std::unique_ptr<TaskServer>> servers_;
};

const char* const kWorker0 = "/job:worker/replica:0/task:0";
const char* const kWorker1 = "/job:worker/replica:0/task:1";

TEST_F(TaskServerTest, alone_serves_sessions_of_its_own_task) {
  start("local", 2);
  const auto session =
      open(0, "", there_and_back("/job:local/task:0/device:CPU:0", "/job:local/task:0/device:CPU:1"));
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(square_of_twice(**session, 3), 36);
}

TEST_F(TaskServerTest, s399_is_a_task_of_a_cluster_that_a_session_brings) {
  start();
  start();
  const auto session = open(0, bringing({0, 1}), there_and_back(kWorker0, kWorker1));
  ASSERT_TRUE(session.ok()) << session.status();
  for (const float x : {1.f, 2.f}) EXPECT_EQ(square_of_twice(**session, x), 4 * x * x);
  std::vector<std::string> names;
  const auto devices = (*session)->list_devices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  for (const auto& d : *devices) names.push_back(d.name);
  EXPECT_THAT(names, UnorderedElementsAre(std::string(kWorker0) + "/device:CPU:0",
                                          std::string(kWorker1) + "/device:CPU:0"));
}

TEST_F(TaskServerTest, s400_s401_puts_nodes_on_the_task_that_they_ask_for) {
  start();
  start();
  for (const char* where : {kWorker0, kWorker1}) {
    const auto session = open(0, bringing({0, 1}), there_and_back(where, where));
    ASSERT_TRUE(session.ok()) << session.status();
    RunOptions options;
    options.collect_stats = true;
    RunStats stats;
    ASSERT_TRUE((*session)->run({{"x", Tensor::scalar<float>(1)}}, {"z:0"}, {}, options, &stats).ok());
    tensorflow::RunMetadata metadata;
    ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
    // y has become a part of z.
    std::string ran;
    for (const auto& device : metadata.step_stats().dev_stats()) {
      for (const auto& n : device.node_stats())
        if (n.node_name() == "z") ran = device.device();
    }
    EXPECT_EQ(ran, std::string(where) + "/device:CPU:0");
  }
}

TEST_F(TaskServerTest, s402_s403_s404_takes_names_of_devices_in_all_forms) {
  start();
  start();
  for (const char* name : {"/job:worker/task:1/device:CPU:0", "/job:worker/replica:0/task:1/device:CPU:0",
                           "/job:worker/task:1/cpu:0", "/job:worker/replica:0/task:1/cpu:0"}) {
    const auto session = open(0, bringing({0, 1}), there_and_back(kWorker0, name));
    ASSERT_TRUE(session.ok()) << name << ": " << session.status();
    EXPECT_EQ(square_of_twice(**session, 2), 16) << name;
  }
}

TEST_F(TaskServerTest, s405_has_as_many_devices_as_each_server_was_started_with) {
  start("local", 2);
  start("local", 3);
  const auto session =
      open(0, bringing({0, 1}),
           there_and_back(std::string(kWorker0) + "/device:CPU:1", std::string(kWorker1) + "/device:CPU:2"));
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->list_devices()->size(), 5u);
  EXPECT_EQ(square_of_twice(**session, 2), 16);
}

TEST_F(TaskServerTest, s406_s407_of_three_servers_several_sessions_at_once_take_what_they_name) {
  for (int i = 0; i < 3; ++i) start();
  // The same servers under other numbers.
  const auto one = open(0, bringing({0, 1}), there_and_back(kWorker0, kWorker1));
  const auto two = open(2, bringing({1, 2}), there_and_back(kWorker1, kWorker0));
  const auto all = open(1, bringing({2, 1, 0}), there_and_back(kWorker0, "/job:worker/replica:0/task:2"));
  ASSERT_TRUE(one.ok() && two.ok() && all.ok()) << one.status() << two.status() << all.status();
  for (const float x : {1.f, 3.f}) {
    EXPECT_EQ(square_of_twice(**one, x), 4 * x * x);
    EXPECT_EQ(square_of_twice(**two, x), 4 * x * x);
    EXPECT_EQ(square_of_twice(**all, x), 4 * x * x);
  }
}

TEST_F(TaskServerTest, s408_s409_serves_sessions_of_its_own_task_beside) {
  start();
  start();
  const auto brought = open(0, bringing({0, 1}), counter(kWorker1));
  const auto own = open(1, "", counter("/job:local/task:0"));
  ASSERT_TRUE(brought.ok() && own.ok()) << brought.status() << own.status();
  ASSERT_TRUE((*brought)->run({}, {}, {"set"}).ok());
  EXPECT_EQ((*own)->run({}, {"read:0"}).status().code(), absl::StatusCode::kFailedPrecondition)
      << "what it has is the session's";
  ASSERT_TRUE((*own)->run({}, {}, {"set"}).ok());
  ASSERT_TRUE((*own)->run({}, {}, {"add"}).ok());
  EXPECT_EQ(only((*brought)->run({}, {"read:0"})), 1);
}

TEST_F(TaskServerTest, s410_sessions_that_bring_a_cluster_are_isolated) {
  start();
  start();
  const auto first = open(0, bringing({0, 1}), counter(kWorker1));
  const auto second = open(0, bringing({0, 1}), counter(kWorker1));
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  ASSERT_TRUE((*first)->run({}, {}, {"set"}).ok());
  EXPECT_EQ((*second)->run({}, {"read:0"}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TaskServerTest, s411_unless_they_want_to_share) {
  start();
  start();
  const std::string share = "experimental { share_session_state_in_clusterspec_propagation: true }";
  const auto first = open(0, bringing({0, 1}, share), counter(kWorker1));
  const auto second = open(0, bringing({0, 1}, share), counter(kWorker1));
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  ASSERT_TRUE((*first)->run({}, {}, {"set"}).ok());
  ASSERT_TRUE((*second)->run({}, {}, {"add"}).ok());
  EXPECT_EQ(only((*first)->run({}, {"read:0"})), 2);
}

TEST_F(TaskServerTest, s412_runs_in_turns_over_a_cluster_that_a_session_brings) {
  start();
  start();
  const auto session = open(0, bringing({0, 1}), there_and_back(kWorker0, kWorker1));
  ASSERT_TRUE(session.ok()) << session.status();
  const auto handle = (*session)->partial_run_setup({"x"}, {"y:0", "z:0"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_EQ(only((*session)->partial_run(*handle, {{"x", Tensor::scalar<float>(3)}}, {"y:0"})), 6);
  EXPECT_EQ(only((*session)->partial_run(*handle, {}, {"z:0"})), 36);
}

TEST_F(TaskServerTest, refuses_clusters_that_make_no_sense) {
  start();
  start();
  const auto graph = there_and_back(kWorker0, kWorker0);
  const auto refused = [&](const std::string& config, const std::string& words) {
    const auto session = open(0, config, graph);
    EXPECT_EQ(session.status().code(), absl::StatusCode::kInvalidArgument) << config << session.status();
    EXPECT_THAT(std::string(session.status().message()), HasSubstr(words));
  };
  refused(bringing({1}), "has 0 tasks at " + address(0));
  refused(bringing({0, 0}), "has 2 tasks at " + address(0));
  refused("cluster_def { job { name: 'local' tasks { key: 0 value: '" + address(0) + "' } } }",
          "names the job and task index to be the same names that were provided when the server booted");
  refused("cluster_def { job { name: 'worker' tasks { key: 0 value: '" + address(0) +
              "' } tasks { key: 1 value: 'nowhere' } } }",
          "nowhere");
  std::string many = "cluster_def { job { name: 'worker' tasks { key: 0 value: '" + address(0) + "' }";
  for (int i = 1; i < 400; ++i)
    many += " tasks { key: " + std::to_string(i) + " value: 'host" + std::to_string(i) + ":1' }";
  refused(many + " } }", "400 tasks");
}

TEST_F(TaskServerTest, says_which_task_of_a_cluster_that_a_session_brings_is_not_there) {
  start();
  start();
  const std::string config = bringing({0, 1}, "operation_timeout_in_ms: 300");
  const std::string gone = address(1);
  servers_.pop_back();
  const auto session = open(0, config, there_and_back(kWorker0, kWorker1));
  EXPECT_EQ(session.status().code(), absl::StatusCode::kDeadlineExceeded) << session.status();
  EXPECT_THAT(std::string(session.status().message()), HasSubstr(kWorker1));
}

TEST_F(TaskServerTest, a_server_that_stops_ends_what_others_have_there) {
  start();
  start();
  const auto session = open(0, bringing({0, 1}), there_and_back(kWorker0, kWorker1));
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_EQ(square_of_twice(**session, 1), 4);
  servers_[1]->stop();
  const auto lost = (*session)->run({{"x", Tensor::scalar<float>(1)}}, {"z:0"}).status();
  EXPECT_EQ(lost.code(), absl::StatusCode::kUnavailable) << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr(kWorker1));
}

TEST_F(TaskServerTest, stops_though_a_session_waits_for_tasks_that_are_not_there) {
  open_patience_ = std::chrono::hours(24);
  start();
  start();
  const std::string config = bringing({0, 1});
  servers_.pop_back();
  auto opening = std::async(std::launch::async,
                            [&] { return open(0, config, there_and_back(kWorker0, kWorker1)).status(); });
  EXPECT_EQ(opening.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  servers_[0]->stop();
  ASSERT_EQ(opening.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_FALSE(opening.get().ok());
}

TEST_F(TaskServerTest, by_tls_has_no_port_for_both) {
  TaskServerOptions options;
  options.node.task = {"worker", 0};
  ASSERT_TRUE(options.node.cluster.add(options.node.task, "localhost:0").ok());
  options.node.tls.certificate = "some.pem";
  EXPECT_EQ(TaskServer::start(options).status().code(), absl::StatusCode::kInvalidArgument);
}

/// A server's guests without the server.
class GuestNodesTest : public testing::Test {
 protected:
  struct Config : caf::actor_system_config {
    Config() {
      configure(*this);
      configure_network(*this);
      set("scheduler.max-threads", size_t{2});
    }
  };
  static ClusterSpec cluster(int port) {
    return *ClusterSpec::parse("worker=localhost:" + std::to_string(port) + ",elsewhere:1");
  }

  Config config_;
  caf::actor_system system_{config_};
  std::unique_ptr<Runtime> runtime_ = Runtime::create(system_);
  GuestNodes guests_{runtime_.get(), ClusterNodeOptions{}, 7};
};

TEST_F(GuestNodesTest, are_one_for_each_cluster_and_task) {
  const auto node = guests_.find_or_start(cluster(7), {"worker", 0});
  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_EQ(*guests_.find_or_start(cluster(7), {"worker", 0}), *node);
  EXPECT_EQ(*guests_.invited("worker=localhost:7,elsewhere:1", "/job:worker/replica:0/task:0"), *node);
  EXPECT_NE(*guests_.invited("worker=localhost:7", "/job:worker/replica:0/task:0"), *node);
}

TEST_F(GuestNodesTest, are_at_the_port_of_their_server) {
  const auto at = [&](const std::string& words, const std::string& task) {
    return guests_.invited(words, task).status().code();
  };
  EXPECT_EQ(at("worker=localhost:8", "/job:worker/replica:0/task:0"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(at("worker=localhost:7", "/job:worker/replica:0/task:1"), absl::StatusCode::kInternal);
  EXPECT_EQ(at("worker=localhost:7", "no task"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(at("no cluster", "/job:worker/replica:0/task:0"), absl::StatusCode::kInvalidArgument);
}

TEST_F(GuestNodesTest, make_room_when_nobody_has_them) {
  std::vector<std::shared_ptr<ClusterNode>> used;
  const auto enter = [&](int i) {
    return guests_.find_or_start(*ClusterSpec::parse("w" + std::to_string(i) + "=localhost:7"),
                                 {"w" + std::to_string(i), 0});
  };
  for (int i = 0; i < 64; ++i) {
    auto node = enter(i);
    ASSERT_TRUE(node.ok()) << node.status();
    used.push_back(*std::move(node));
  }
  EXPECT_EQ(enter(64).status().code(), absl::StatusCode::kResourceExhausted);
  used.pop_back();
  EXPECT_TRUE(enter(64).ok());
  EXPECT_EQ(enter(63).status().code(), absl::StatusCode::kOk) << "again, in the place of another";
  used.clear();
  guests_.stop();
  EXPECT_EQ(enter(1).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace troupe::test
