// A server that is a task of a cluster: its clients' sessions have the devices of all tasks.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include <future>

#include "tests/actors/grpc_door/door_fixture.h"
#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace graph_text;

const std::string kFloat = attr("T", "type: DT_FLOAT");
const std::string kDtype = attr("dtype", "type: DT_FLOAT");

class DoorClusterTest : public DoorTest, protected TestCluster {
 protected:
  ~DoorClusterTest() override { server_.reset(); }

  /// The server is task 0 of so many, of which these are started.
  void serve_task(int tasks, int started) {
    plan(tasks);
    for (int i = 0; i < started; ++i) start(i);
    ASSERT_FALSE(HasFatalFailure());
    GrpcServerOptions options;
    options.job = "worker";
    options.target = machines_[0]->node->target();
    serve(*machines_[0]->runtime, options);
  }
  std::vector<std::string> devices(const std::string& session) {
    tensorflow::ListDevicesRequest request;
    request.set_session_handle(session);
    const auto response = ask<tensorflow::ListDevicesResponse>(&Client::ListDevices, request);
    EXPECT_TRUE(response.ok()) << response.status();
    std::vector<std::string> names;
    if (!response.ok()) return names;
    for (const auto& d : response->local_device()) names.push_back(d.name());
    return names;
  }
  static float only(const absl::StatusOr<std::vector<Tensor>>& fetched) {
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() ? (*fetched)[0].value<float>() : -1;
  }
};

/// x on task 0, y = x + x on task 1, z = y * y on task 0.
tensorflow::GraphDef there_and_back() {
  const std::string text = node("x", "Placeholder", {}, kDtype + on_task(0)) +
                           node("y", "AddV2", {"x", "x"}, kFloat + on_task(1)) +
                           node("z", "Mul", {"y", "y"}, kFloat + on_task(0));
  tensorflow::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
  return graph;
}

/// v on task 1.
tensorflow::GraphDef variable() {
  const std::string text =
      node("v", "VarHandleOp", {},
           kDtype + attr("shape", "shape {}") + attr("shared_name", "s: 'v'") + on_task(1)) +
      node("one", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on_task(0)) +
      node("init", "AssignVariableOp", {"v", "one"}, kDtype + on_task(1)) +
      node("read", "ReadVariableOp", {"v"}, kDtype + on_task(1));
  tensorflow::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
  return graph;
}

TEST_F(DoorClusterTest, runs_steps_over_its_tasks) {
  serve_task(2, 2);
  const auto session = create_session(there_and_back());
  ASSERT_TRUE(session.ok()) << session.status();
  for (const float x : {1.f, 2.f, 3.f})
    EXPECT_EQ(only(run(*session, {{"x:0", Tensor::scalar<float>(x)}}, {"z:0"})), 4 * x * x);
  EXPECT_EQ(close(*session), absl::OkStatus());
  EXPECT_TRUE(comes_to_have(1, 0));
}

TEST_F(DoorClusterTest, s289_lists_the_devices_of_all_tasks_with_and_without_a_session) {
  serve_task(2, 2);
  const auto all = UnorderedElementsAre(task_name(0) + "/device:CPU:0", task_name(1) + "/device:CPU:0");
  EXPECT_THAT(devices(""), all);
  EXPECT_TRUE(comes_to_have(1, 0)) << "the session that was asked is gone";
  EXPECT_THAT(devices(*create_session(there_and_back())), all);
}

TEST_F(DoorClusterTest, s255_gives_sessions_the_tasks_that_their_filters_let_through) {
  serve_task(2, 1);
  const std::string filter = "device_filters: '/job:worker/task:0'";
  const auto hidden = create_session(there_and_back(), filter);
  EXPECT_EQ(hidden.status().code(), absl::StatusCode::kInvalidArgument) << hidden.status();
  EXPECT_THAT(std::string(hidden.status().message()), HasSubstr(task_name(1)));
  auto graph = there_and_back();
  for (auto& n : *graph.mutable_node()) n.set_device(task_name(0));
  const auto alone = create_session(graph, filter);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(only(run(*alone, {{"x:0", Tensor::scalar<float>(1)}}, {"z:0"})), 4);
}

TEST_F(DoorClusterTest, says_for_which_tasks_a_session_waits_in_vain) {
  options_.open_patience = std::chrono::milliseconds(300);
  serve_task(2, 1);
  const auto late = create_session(there_and_back());
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded) << late.status();
  EXPECT_THAT(std::string(late.status().message()), HasSubstr(task_name(1)));
}

TEST_F(DoorClusterTest, waits_for_tasks_no_longer_than_its_client) {
  options_.open_patience = std::chrono::hours(24);
  serve_task(2, 1);
  tensorflow::CreateSessionRequest request;
  *request.mutable_graph_def() = there_and_back();
  ::grpc::ClientContext context;
  auto opening = std::async(std::launch::async, [&] {
    tensorflow::CreateSessionResponse response;
    return client_->CreateSession(&context, request, &response).error_code();
  });
  EXPECT_TRUE(comes_to_open(0, 1));
  context.TryCancel();
  EXPECT_EQ(opening.get(), ::grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(comes_to_open(0, 0));
}

TEST_F(DoorClusterTest, waits_for_tasks_no_longer_than_it_serves) {
  options_.open_patience = std::chrono::hours(24);
  serve_task(2, 1);
  auto opening = std::async(std::launch::async, [&] { return create_session(there_and_back()).status(); });
  EXPECT_TRUE(comes_to_open(0, 1));
  server_->stop();
  EXPECT_TRUE(absl::IsAborted(opening.get()));
  EXPECT_TRUE(comes_to_open(0, 0));
}

TEST_F(DoorClusterTest, shares_variables_between_sessions_unless_they_are_isolated) {
  serve_task(2, 2);
  const auto first = create_session(variable()), second = create_session(variable());
  const auto alone = create_session(variable(), "isolate_session_state: true");
  ASSERT_TRUE(run(*first, {}, {}, {"init"}).ok());
  EXPECT_EQ(only(run(*second, {}, {"read:0"})), 1);
  EXPECT_EQ(run(*alone, {}, {"read:0"}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(DoorClusterTest, a_reset_ends_sessions_and_clears_containers_on_the_tasks_that_pass) {
  serve_task(2, 2);
  auto session = create_session(variable());
  ASSERT_TRUE(run(*session, {}, {}, {"init"}).ok());
  ASSERT_EQ(reset({}, {"/job:worker/task:0"}), absl::OkStatus());
  EXPECT_EQ(run(*session, {}, {"read:0"}).status().code(), absl::StatusCode::kAborted);
  session = create_session(variable());
  EXPECT_EQ(only(run(*session, {}, {"read:0"})), 1);
  ASSERT_EQ(reset(), absl::OkStatus());
  session = create_session(variable());
  EXPECT_EQ(run(*session, {}, {"read:0"}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(DoorClusterTest, a_client_hears_aborted_when_a_task_of_his_session_is_lost) {
  serve_task(2, 2);
  const auto session = create_session(there_and_back());
  ASSERT_EQ(only(run(*session, {{"x:0", Tensor::scalar<float>(1)}}, {"z:0"})), 4);
  stop(1);
  // He would repeat what is Unavailable for ever.
  const absl::Status lost = run(*session, {{"x:0", Tensor::scalar<float>(1)}}, {"z:0"}).status();
  EXPECT_EQ(lost.code(), absl::StatusCode::kAborted) << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr(task_name(1)));
}

}  // namespace
}  // namespace troupe::test
