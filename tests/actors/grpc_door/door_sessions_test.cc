// Sessions of a server: how they come to be, change and end, and what they share.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/actors/grpc_door/door_fixture.h"
#include "tests/system/graph_texts.h"

namespace troupe::test {
namespace {

using tensorflow::ListDevicesRequest;
using tensorflow::ListDevicesResponse;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class DoorSessionsTest : public DoorTest {
 protected:
  /// a = 1, x = a + a.
  tensorflow::GraphDef graph_a() {
    return graph_of(R"(node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
      attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } })");
  }
  static tensorflow::GraphDef graph_x() {
    return graph_of(
        R"(node { name: "x" op: "AddV2" input: "a" input: "a" attr { key: "T" value { type: DT_FLOAT } } })");
  }
  static float number(const absl::StatusOr<std::vector<Tensor>>& fetched) {
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() && fetched->size() == 1 ? (*fetched)[0].value<float>() : -1;
  }
};

TEST_F(DoorSessionsTest, s279_opens_and_closes_and_knows_no_other) {
  serve();
  const auto session = create_session(graph_a());
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(*session, MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(close(*session), absl::OkStatus());
  EXPECT_EQ(close("randombits"),
            absl::AbortedError("Session randombits is not found. Possibly, this master has restarted."));
  EXPECT_TRUE(absl::IsAborted(close(*session)));
}

TEST_F(DoorSessionsTest, says_in_each_call_that_it_does_not_know_a_session) {
  serve();
  const absl::Status unknown = absl::AbortedError("Session lost is not found.");
  EXPECT_EQ(extend("lost", graph_a(), 0).status(), unknown);
  EXPECT_EQ(run("lost", {}, {"a:0"}).status(), unknown);
  auto named = [](auto request) {
    request.set_session_handle("lost");
    return request;
  };
  EXPECT_EQ(ask<tensorflow::PartialRunSetupResponse>(&Client::PartialRunSetup,
                                                     named(tensorflow::PartialRunSetupRequest()))
                .status(),
            unknown);
  EXPECT_EQ(
      ask<tensorflow::MakeCallableResponse>(&Client::MakeCallable, named(tensorflow::MakeCallableRequest()))
          .status(),
      unknown);
  EXPECT_EQ(
      ask<tensorflow::RunCallableResponse>(&Client::RunCallable, named(tensorflow::RunCallableRequest()))
          .status(),
      unknown);
  EXPECT_EQ(ask<tensorflow::ReleaseCallableResponse>(&Client::ReleaseCallable,
                                                     named(tensorflow::ReleaseCallableRequest()))
                .status(),
            unknown);
  tensorflow::RunStepRequest turn = step("lost", {}, {"a:0"});
  turn.set_partial_run_handle("1");
  EXPECT_EQ(ask<tensorflow::RunStepResponse>(&Client::RunStep, turn).status(), unknown);
  EXPECT_EQ(ask<ListDevicesResponse>(&Client::ListDevices, named(ListDevicesRequest())).status(),
            absl::InvalidArgumentError("Session lost is not found. Possibly, this master has restarted."));
}

TEST_F(DoorSessionsTest, s280_s290_lists_the_devices_of_its_task) {
  serve();
  const auto listed = ask<ListDevicesResponse>(&Client::ListDevices, ListDevicesRequest());
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->local_device_size(), 1);
  EXPECT_EQ(listed->remote_device_size(), 0);
  EXPECT_EQ(listed->local_device(0).name(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(listed->local_device(0).device_type(), "CPU");
  EXPECT_NE(listed->local_device(0).incarnation(), 0u);
  EXPECT_GT(listed->local_device(0).memory_limit(), 0);

  const auto session = create_session(graph_a());
  ListDevicesRequest of_session;
  of_session.set_session_handle(*session);
  const auto seen = ask<ListDevicesResponse>(&Client::ListDevices, of_session);
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->local_device(0).incarnation(), listed->local_device(0).incarnation()) << "the same device";
}

TEST_F(DoorSessionsTest, s289_names_devices_by_its_job_task_and_config) {
  GrpcServerOptions options;
  options.job = "worker";
  options.task_index = 3;
  tensorflow::ConfigProto config;
  (*config.mutable_device_count())["CPU"] = 2;
  options.default_config = config.SerializeAsString();
  serve(options);
  const auto listed = ask<ListDevicesResponse>(&Client::ListDevices, ListDevicesRequest());
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->local_device_size(), 2);
  EXPECT_EQ(listed->local_device(1).name(), "/job:worker/replica:0/task:3/device:CPU:1");
  auto graph = graph_a();
  graph.mutable_node(0)->set_device("/job:worker/task:3/cpu:1");
  EXPECT_EQ(number(run(*create_session(graph), {}, {"a:0"})), 1);
}

TEST_F(DoorSessionsTest, s281_reset_ends_all_sessions) {
  serve();
  const auto one = create_session(graph_a()), two = create_session(graph_a());
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(reset(), absl::OkStatus());
  EXPECT_TRUE(absl::IsAborted(close(*one)));
  EXPECT_TRUE(absl::IsAborted(run(*two, {}, {"a:0"}).status()));
}

TEST_F(DoorSessionsTest, s282_extends_and_counts_versions) {
  serve();
  const auto session = create_session(graph_a());
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(number(run(*session, {}, {"a:0"})), 1);
  EXPECT_EQ(extend(*session, graph_x(), 0).value_or(-1), 1);
  const auto both = run(*session, {}, {"a:0", "x:0"});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ((*both)[1].value<float>(), 2);
  EXPECT_EQ(extend(*session, graph_of(R"(node { name: "n" op: "NoOp" })"), 1).value_or(-1), 2);
  EXPECT_TRUE(absl::IsAborted(extend("randombits", graph_x(), 0).status()));
}

TEST_F(DoorSessionsTest, s269_refuses_extensions_that_do_not_fit_and_stays_usable) {
  serve();
  const auto session = create_session(graph_a());
  const auto bad = extend(*session, graph_of(R"(node { name: "b" op: "Identity" input: "nowhere"
    attr { key: "T" value { type: DT_FLOAT } } })"),
                          0);
  EXPECT_TRUE(absl::IsInvalidArgument(bad.status())) << bad.status();
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("nowhere"));
  const auto good =
      graph_of(R"(node { name: "b" op: "Identity" input: "a" attr { key: "T" value { type: DT_FLOAT } } })");
  EXPECT_EQ(extend(*session, good, 0).value_or(-1), 1) << "what was refused is no version";
  const auto again = extend(*session, good, 1);
  EXPECT_TRUE(absl::IsInvalidArgument(again.status())) << again.status();
  EXPECT_THAT(std::string(again.status().message()), HasSubstr("'b'"));
  EXPECT_EQ(number(run(*session, {}, {"b:0"})), 1);
}

TEST_F(DoorSessionsTest, s283_refuses_to_extend_by_a_stateful_node_that_is_there) {
  serve();
  const auto variable = graph_of(graph_texts::kVariable);
  const auto session = create_session(variable);
  tensorflow::GraphDef again;
  *again.add_node() = variable.node(0);
  *again.mutable_versions() = variable.versions();
  EXPECT_TRUE(absl::IsInvalidArgument(extend(*session, again, 0).status()));
}

TEST_F(DoorSessionsTest, s284_refuses_a_stale_version) {
  serve();
  const auto session = create_session(graph_a());
  EXPECT_EQ(extend(*session, graph_x(), 7).status(),
            absl::AbortedError("Current version is 0 but caller expected 7."));
  EXPECT_EQ(extend(*session, graph_x(), 0).value_or(-1), 1);
  EXPECT_EQ(extend(*session, graph_of(R"(node { name: "n" op: "NoOp" })"), 0).status(),
            absl::AbortedError("Current version is 1 but caller expected 0."));
}

TEST_F(DoorSessionsTest, s285_of_a_hundred_that_extend_one_version_one_does) {
  serve();
  const auto session = create_session(graph_a());
  std::vector<std::future<absl::Status>> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(std::async(std::launch::async, [&, i] {
      return extend(*session, graph_of(absl::StrCat("node { name: \"n", i, "\" op: \"NoOp\" }")), 0).status();
    }));
  }
  int good = 0, aborted = 0;
  for (auto& client : clients) {
    const absl::Status status = client.get();
    good += status.ok();
    aborted += absl::IsAborted(status);
  }
  EXPECT_EQ(good, 1);
  EXPECT_EQ(aborted, 99);
}

TEST_F(DoorSessionsTest, s286_runs_while_it_is_extended) {
  serve();
  const auto session = create_session(graph_a());
  std::atomic<bool> extended{false}, over{false};
  std::thread runner([&] {
    while (!over) {
      EXPECT_EQ(number(run(*session, {}, {"a:0"})), 1);
      const bool before = extended;
      const auto x = run(*session, {}, {"x:0"});
      if (before) {
        EXPECT_EQ(number(x), 2);
      } else if (!x.ok()) {
        EXPECT_TRUE(absl::IsNotFound(x.status())) << x.status();
      }
    }
  });
  EXPECT_EQ(extend(*session, graph_x(), 0).value_or(-1), 1);
  extended = true;
  EXPECT_EQ(number(run(*session, {}, {"x:0"})), 2);
  over = true;
  runner.join();
}

TEST_F(DoorSessionsTest, takes_a_session_without_nodes_whose_first_extension_is_its_graph) {
  serve();
  const auto session = create_session(tensorflow::GraphDef());
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(extend(*session, graph_a(), 0).value_or(-1), 1);
  EXPECT_EQ(number(run(*session, {}, {"a:0"})), 1);
}

TEST_F(DoorSessionsTest, s266_variables_outlive_the_sessions_of_a_server) {
  serve();
  for (int i = 0; i < 10; ++i) {
    const auto session = create_session(graph_of(graph_texts::kVariable));
    ASSERT_TRUE(session.ok()) << session.status();
    if (i == 0) {
      ASSERT_TRUE(run(*session, {}, {}, {"init"}).ok());
    }
    EXPECT_EQ(number(run(*session, {}, {"more:0"})), 2 + i);
    EXPECT_EQ(close(*session), absl::OkStatus());
  }
}

TEST_F(DoorSessionsTest, s291_isolated_sessions_share_no_variables) {
  serve();
  const auto graph = graph_of(graph_texts::kVariable);
  const auto shared = create_session(graph), one = create_session(graph, "isolate_session_state: true"),
             two = create_session(graph, "isolate_session_state: true"), other = create_session(graph);
  ASSERT_TRUE(run(*shared, {}, {}, {"init"}).ok());
  EXPECT_EQ(number(run(*other, {}, {"r:0"})), 1);
  EXPECT_TRUE(absl::IsFailedPrecondition(run(*one, {}, {"r:0"}).status()));
  ASSERT_TRUE(run(*one, {}, {}, {"init"}).ok());
  EXPECT_EQ(number(run(*one, {}, {"more:0"})), 2);
  EXPECT_TRUE(absl::IsFailedPrecondition(run(*two, {}, {"r:0"}).status()));
  EXPECT_EQ(number(run(*shared, {}, {"r:0"})), 1);
}

TEST_F(DoorSessionsTest, reset_clears_the_containers_that_it_names) {
  serve();
  auto graph = graph_of(graph_texts::kVariable);
  for (auto& node : *graph.mutable_node()) {
    if (node.name() == "v") (*node.mutable_attr())["container"].set_s("mine");
  }
  ASSERT_TRUE(run(*create_session(graph), {}, {}, {"init"}).ok());
  ASSERT_EQ(reset(), absl::OkStatus());
  EXPECT_EQ(number(run(*create_session(graph), {}, {"r:0"})), 1) << "the default container is another";
  ASSERT_EQ(reset({"mine"}, {"/job:elsewhere"}), absl::OkStatus());
  EXPECT_EQ(number(run(*create_session(graph), {}, {"r:0"})), 1) << "it is no device of that job";
  ASSERT_EQ(reset({"mine"}, {"/job:localhost"}), absl::OkStatus());
  EXPECT_TRUE(absl::IsFailedPrecondition(run(*create_session(graph), {}, {"r:0"}).status()));
}

TEST_F(DoorSessionsTest, reset_refuses_what_no_client_can_name) {
  serve();
  const auto session = create_session(graph_a());
  EXPECT_TRUE(absl::IsInvalidArgument(reset({"__debugger"})));
  EXPECT_TRUE(absl::IsInvalidArgument(reset({""})));
  EXPECT_TRUE(absl::IsInvalidArgument(reset({}, {"@@"})));
  EXPECT_EQ(number(run(*session, {}, {"a:0"})), 1) << "the session lives";
}

TEST_F(DoorSessionsTest, a_reset_of_the_runtime_leaves_its_sessions_alone) {
  serve();
  const auto session = create_session(graph_a());
  EXPECT_EQ(Session::reset(*runtime_, {}), absl::OkStatus());
  EXPECT_EQ(number(run(*session, {}, {"a:0"})), 1);
}

TEST_F(DoorSessionsTest, s255_places_on_its_own_task_only) {
  serve();
  const std::string filter = "device_filters: \"/job:localhost/task:0\"";
  auto graph = graph_a();
  graph.mutable_node(0)->set_device("/job:localhost/task:0");
  EXPECT_TRUE(create_session(graph, filter).ok());
  graph.mutable_node(0)->set_device("/job:localhost/task:1");
  const auto elsewhere = create_session(graph, filter);
  EXPECT_TRUE(absl::IsInvalidArgument(elsewhere.status())) << elsewhere.status();
  EXPECT_THAT(std::string(elsewhere.status().message()), HasSubstr("/job:localhost/task:1"));
}

TEST_F(DoorSessionsTest, s267_refuses_names_that_are_none) {
  serve();
  for (const char* name : {"a:b", "a:0", "_a"}) {
    const auto session = create_session(graph_of(absl::StrCat("node { name: '", name, "' op: 'NoOp' }")));
    EXPECT_TRUE(absl::IsInvalidArgument(session.status())) << name << session.status();
  }
}

TEST_F(DoorSessionsTest, s268_refuses_inputs_that_are_none) {
  serve();
  for (const char* input : {"a:first", "_a", "_a:0", "a:01"}) {
    auto graph = graph_a();
    graph.MergeFrom(graph_of(absl::StrCat("node { name: 'b' op: 'Identity' input: '", input,
                                          "' attr { key: 'T' value { type: DT_FLOAT } } }")));
    const auto session = create_session(graph);
    EXPECT_TRUE(absl::IsInvalidArgument(session.status())) << input << session.status();
  }
}

TEST_F(DoorSessionsTest, refuses_configs_that_a_server_cannot_honour) {
  serve();
  const auto pools = create_session(graph_a(), "session_inter_op_thread_pool { num_threads: 2 }");
  EXPECT_EQ(pools.status(),
            absl::InvalidArgumentError("Distributed session does not support session thread pool options."));
  EXPECT_TRUE(absl::IsUnimplemented(
      create_session(graph_a(), "cluster_def { job { name: 'w' tasks { key: 0 value: 'h:1' } } }").status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(create_session(graph_a(), "intra_op_parallelism_threads: -2").status()));
}

TEST_F(DoorSessionsTest, has_no_more_sessions_than_it_takes) {
  GrpcServerOptions options;
  options.max_sessions = 2;
  serve(options);
  const auto one = create_session(graph_a());
  EXPECT_TRUE(
      absl::IsInvalidArgument(create_session(graph_of("node { name: 'x' op: 'Nowhere' }")).status()) ||
      absl::IsNotFound(create_session(graph_of("node { name: 'x' op: 'Nowhere' }")).status()));
  EXPECT_TRUE(create_session(graph_a()).ok()) << "one that failed takes no place";
  EXPECT_TRUE(absl::IsResourceExhausted(create_session(graph_a()).status()));
  EXPECT_EQ(close(*one), absl::OkStatus());
  EXPECT_TRUE(create_session(graph_a()).ok());
}

}  // namespace
}  // namespace troupe::test
