// Which sessions there are over a cluster: the tasks that they have, and who opens and resets them.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <future>
#include <thread>

#include "actors/session_factories.h"
#include "actors/sockets/resolve.h"
#include "actors/sockets/socket.h"
#include "devices/cancellation.h"
#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace graph_text;

const std::string kDtype = attr("dtype", "type: DT_FLOAT");

class ClusterSessionsTest : public ClusterTest {
 protected:
  std::unique_ptr<Session> open_with(const std::string& config) {
    auto session = machines_[0]->node->open_session(*SessionOptions::from_config_text(config));
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *std::move(session) : nullptr;
  }
  static std::vector<std::string> devices_of(Session& s) {
    const auto devices = s.list_devices();
    EXPECT_TRUE(devices.ok()) << devices.status();
    std::vector<std::string> names;
    for (const DeviceInfo& d : *devices) names.push_back(d.name);
    return names;
  }
  static absl::Status create(Session& s, const std::string& graph_text) {
    tensorflow::GraphDef graph;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(graph_text, &graph)) << graph_text;
    return s.create(graph);
  }
  /// A variable on each of two tasks, and what gives both a value.
  static std::string two_variables() {
    std::string text;
    for (int task = 0; task < 2; ++task) {
      const std::string n = absl::StrCat(task);
      text += node("v" + n, "VarHandleOp", {},
                   kDtype + attr("shape", "shape {}") + attr("shared_name", "s: 'v'") + on_task(task)) +
              node("one" + n, "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on_task(task)) +
              node("init" + n, "AssignVariableOp", {"v" + n, "one" + n}, kDtype + on_task(task)) +
              node("read" + n, "ReadVariableOp", {"v" + n}, kDtype + on_task(task));
    }
    return text;
  }
  /// Who listens at a task's address, and says nothing.
  Socket listen_for(int task) {
    const auto address = resolve(*options_.cluster.address({"worker", task}));
    EXPECT_TRUE(address.ok()) << address.status();
    Socket socket(::socket((*address)->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    EXPECT_EQ(::bind(socket.get(), (*address)->ai_addr, (*address)->ai_addrlen), 0);
    EXPECT_EQ(::listen(socket.get(), 8), 0);
    return socket;
  }
  SessionOptions by_target(const std::string& config = "") {
    SessionOptions options = *SessionOptions::from_config_text(config);
    options.target = machines_[0]->node->target();
    return options;
  }
};

TEST_F(ClusterSessionsTest, s255_have_the_tasks_that_their_filters_let_through) {
  plan(3);
  start(0);
  start(1);
  // Nobody waits for task 2.
  auto s = open_with("device_filters: '/job:worker/task:1'");
  ASSERT_NE(s, nullptr);
  EXPECT_THAT(devices_of(*s),
              UnorderedElementsAre(task_name(0) + "/device:CPU:0", task_name(1) + "/device:CPU:0"));
  const absl::Status hidden = create(*s, node("x", "Placeholder", {}, kDtype + on_task(2)));
  EXPECT_EQ(hidden.code(), absl::StatusCode::kInvalidArgument) << hidden;
  EXPECT_THAT(std::string(hidden.message()), HasSubstr(task_name(2)));
  auto other = open_with("device_filters: '/job:worker/task:1'");
  EXPECT_EQ(create(*other, node("x", "Placeholder", {}, kDtype + on_task(1)) +
                               node("y", "Neg", {"x"}, attr("T", "type: DT_FLOAT") + on_task(1))),
            absl::OkStatus());
  auto out = other->run({{"x", Tensor::scalar<float>(3)}}, {"y"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), -3);
}

TEST_F(ClusterSessionsTest, have_the_devices_of_other_tasks_that_their_filters_let_through) {
  options_.num_cpus = 2;
  start_all(2);
  auto s = open_with("device_filters: '/job:worker/task:1/device:CPU:1'");
  ASSERT_NE(s, nullptr);
  EXPECT_THAT(devices_of(*s),
              UnorderedElementsAre(task_name(0) + "/device:CPU:0", task_name(0) + "/device:CPU:1",
                                   task_name(1) + "/device:CPU:1"));
}

TEST_F(ClusterSessionsTest, with_a_filter_that_is_none_do_not_open) {
  start_all(1);
  const auto refused =
      machines_[0]->node->open_session(*SessionOptions::from_config_text("device_filters: 'worker'"));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("\"worker\""));
}

TEST_F(ClusterSessionsTest, cannot_bring_a_cluster_of_their_own) {
  start_all(1);
  const auto refused = machines_[0]->node->open_session(
      *SessionOptions::from_config_text("cluster_def { job { name: 'w' tasks { key: 0 value: 'h:1' } } }"));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented) << refused.status();
}

TEST_F(ClusterSessionsTest, s270_s271_do_not_wait_longer_than_their_operations_may_take) {
  plan(2);
  start(0);
  const auto began = std::chrono::steady_clock::now();
  const auto late =
      machines_[0]->node->open_session(*SessionOptions::from_config_text("operation_timeout_in_ms: 200"));
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded) << late.status();
  EXPECT_LT(std::chrono::steady_clock::now() - began, options_.open_patience / 2);
}

TEST_F(ClusterSessionsTest, are_opened_by_target_in_the_runtime_of_their_node) {
  start_all(2);
  const SessionOptions options = by_target();
  auto s = Session::open(*machines_[0]->runtime, options);
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(devices_of(**s).size(), 2u);
  s->reset();
  machines_[0]->node = nullptr;
  EXPECT_EQ(Session::open(*machines_[0]->runtime, options).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ClusterSessionsTest, lose_their_variables_on_all_tasks_to_a_reset_and_end) {
  start_all(2);
  auto s = open(two_variables());
  ASSERT_TRUE(s->run({}, {}, {"init0", "init1"}).ok());
  ASSERT_EQ(Session::reset(*machines_[0]->runtime, by_target(), {}), absl::OkStatus());
  EXPECT_FALSE(s->run({}, {"read0"}).ok());
  auto next = open(two_variables());
  for (const char* read : {"read0", "read1"}) {
    EXPECT_EQ(next->run({}, {read}).status().code(), absl::StatusCode::kFailedPrecondition) << read;
  }
}

TEST_F(ClusterSessionsTest, keep_variables_on_tasks_that_the_filters_of_a_reset_leave_out) {
  start_all(2);
  auto s = open(two_variables());
  ASSERT_TRUE(s->run({}, {}, {"init0", "init1"}).ok());
  ASSERT_EQ(Session::reset(*machines_[0]->runtime, by_target("device_filters: '/job:worker/task:1'"), {}),
            absl::OkStatus());
  auto next = open(two_variables());
  EXPECT_TRUE(next->run({}, {"read0"}).ok());
  EXPECT_EQ(next->run({}, {"read1"}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ClusterSessionsTest, that_wait_for_tasks_fail_when_their_node_ends) {
  // For ever, but for that.
  options_.open_patience = std::chrono::hours(24);
  plan(2);
  start(0);
  absl::Status end;
  std::thread opener([&end, runtime = machines_[0]->runtime.get(), options = by_target()] {
    end = Session::open(*runtime, options).status();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  machines_[0]->node = nullptr;
  opener.join();
  // Before or after it looked for its factory.
  EXPECT_TRUE(absl::IsCancelled(end) || absl::IsNotFound(end)) << end;
}

/// Task 1 is not there; or somebody listens in its place, and says nothing.
TEST_F(ClusterSessionsTest, that_wait_for_tasks_are_given_up_at_once) {
  options_.open_patience = std::chrono::hours(24);
  options_.lease = {std::chrono::hours(1), std::chrono::minutes(1), std::chrono::minutes(30)};
  plan(2);
  start(0);
  for (const bool somebody : {false, true}) {
    const Socket silent = somebody ? listen_for(1) : Socket();
    SessionOptions options;
    options.given_up = std::make_shared<CancellationToken>();
    auto opening =
        std::async(std::launch::async, [&] { return machines_[0]->node->open_session(options).status(); });
    EXPECT_TRUE(comes_to_open(0, 1));
    EXPECT_EQ(opening.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
    options.given_up->cancel(absl::CancelledError("not wanted any more"));
    ASSERT_EQ(opening.wait_for(std::chrono::seconds(2)), std::future_status::ready);
    EXPECT_EQ(opening.get(), absl::CancelledError("not wanted any more"));
  }
}

TEST_F(ClusterSessionsTest, are_not_begun_when_they_are_given_up_already) {
  plan(2);
  start(0);
  SessionOptions options;
  options.given_up = std::make_shared<CancellationToken>();
  options.given_up->cancel(absl::CancelledError("not wanted any more"));
  EXPECT_EQ(machines_[0]->node->open_session(options).status(), absl::CancelledError("not wanted any more"));
}

}  // namespace
}  // namespace troupe::test
