// SESSION, RUNTIME and DEVICE as programs that talk to actors see them, and what the blocking face promises besides runs.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include <future>

#include "actors/errors.h"
#include "actors/runtime_impl.h"
#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

constexpr std::chrono::seconds kAnswerTime{20};

/// "sum" is x + x; "hang" waits until it is cancelled.
class MessagesTest : public SessionTest {
 protected:
  MessagesTest() {
    const int x = placeholder("x");
    add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("hang", "TestHang", {}, {{x, 0}});
  }

  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(1)}}; }
  std::shared_ptr<SessionCore> core() { return runtime_->impl().live_sessions().at(0); }

  template <class Reply, class Actor, class Message>
  absl::StatusOr<Reply> ask(const Actor& actor, Message message) {
    caf::scoped_actor self{runtime_->system()};
    absl::StatusOr<Reply> result = absl::InternalError("no answer");
    self->request(actor, kAnswerTime, std::move(message))
        .receive([&](const Reply& reply) { result = reply; }, [&](caf::error& e) { result = to_status(e); });
    return result;
  }

  static int partition_graphs(const RunStats& stats) {
    tensorflow::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
    return metadata.partition_graphs_size();
  }
};

TEST_F(MessagesTest, a_run_by_message_says_what_its_partitions_are) {
  open();
  RunRequest request{x(), {"sum"}, {}, {}};
  request.options.output_partition_graphs = true;
  const auto reply = ask<RunReply>(core()->actor, request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->fetches[0].value<float>(), 2);
  EXPECT_EQ(partition_graphs(reply->stats), 1);
}

TEST_F(MessagesTest, a_callable_says_what_its_partitions_are) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"sum"};
  options.run_options.output_partition_graphs = true;
  const CallableHandle handle = *s.make_callable(options);
  const Tensor one = Tensor::scalar<float>(1);
  std::vector<Tensor> out(1);
  RunStats stats;
  ASSERT_TRUE(s.run_callable(handle, {&one, 1}, out, &stats).ok());
  EXPECT_EQ(partition_graphs(stats), 1);
  const auto reply = ask<RunReply>(core()->actor, RunCallable{handle, {one}});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(partition_graphs(reply->stats), 1);
}

TEST_F(MessagesTest, s006_partition_graphs_are_refused_where_the_session_refuses_them) {
  SessionOptions session;
  session.disable_output_partition_graphs = true;
  Session& s = open(session);
  EXPECT_TRUE(s.run(x(), {"sum"}).ok()) << "who does not ask for them runs";
  RunOptions wanted;
  wanted.output_partition_graphs = true;
  const absl::Status refused = s.run(x(), {"sum"}, {}, wanted).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("disable_output_partition_graphs"));
  CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"sum"};
  options.run_options = wanted;
  const CallableHandle handle = *s.make_callable(options);
  const auto reply = ask<RunReply>(core()->actor, RunCallable{handle, {Tensor::scalar<float>(1)}});
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kInvalidArgument) << reply.status();
  EXPECT_THAT(std::string(reply.status().message()), HasSubstr("disable_output_partition_graphs"));
}

TEST_F(MessagesTest, a_partial_run_has_the_lease_that_its_setup_asks_for) {
  SessionOptions options;
  options.partial_run_lease = std::chrono::milliseconds(20);
  Session& s = open(options);
  constexpr std::chrono::milliseconds kForEver{0};
  const std::string kept = *s.partial_run_setup({"x"}, {"sum"}, {}, kForEver);
  const auto by_message = [&] {
    caf::scoped_actor self{runtime_->system()};
    std::string handle;
    self->request(core()->actor, kAnswerTime, PartialRunSetup{{"x"}, {"sum"}, {}, kForEver})
        .receive([&](const std::string& h, const PartialRunActor&) { handle = h; },
                 [](caf::error& e) { ADD_FAILURE() << to_string(e); });
    return handle;
  }();
  // One that keeps the session's lease is over when the two above would be, too.
  ASSERT_TRUE(s.partial_run_setup({"x"}, {"sum"}).ok());
  const auto end = std::chrono::steady_clock::now() + kAnswerTime;
  while (s.counters().running_steps > 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(s.counters().running_steps, 2);
  EXPECT_TRUE(s.partial_run(kept, x(), {"sum"}).ok());
  EXPECT_TRUE(s.partial_run(by_message, x(), {"sum"}).ok());
}

TEST_F(MessagesTest, devices_are_listed_after_close) {
  Session& s = open();
  ASSERT_TRUE(s.close().ok());
  const auto devices = s.list_devices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_EQ(devices->size(), 1u);
}

TEST_F(MessagesTest, an_empty_graph_is_no_graph_yet) {
  session_ = *Session::open(*runtime_, {});
  EXPECT_TRUE(session_->create(Graph(ops_.get())).ok());
  EXPECT_TRUE(session_->create(tensorflow::GraphDef()).ok());
  EXPECT_THAT(std::string(session_->run(x(), {"sum"}).status().message()),
              HasSubstr("Session was not created with a graph before Run()!"));
  EXPECT_TRUE(session_->create(graph_.clone()).ok());
  EXPECT_TRUE(session_->run(x(), {"sum"}).ok());
  EXPECT_TRUE(session_->create(tensorflow::GraphDef()).ok());
  EXPECT_EQ(session_->create(graph_.clone()).code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(MessagesTest, s005_a_graph_that_is_to_stay_as_it_is_runs_and_cannot_be_extended) {
  SessionOptions session;
  session.optimize_for_static_graph = true;
  Session& s = open(session);
  EXPECT_TRUE(s.run(x(), {"sum"}).ok());
  const absl::Status refused = s.extend(tensorflow::GraphDef());
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("optimize_for_static_graph"));
  EXPECT_TRUE(s.run(x(), {"sum"}).ok());
}

TEST_F(MessagesTest, extending_by_an_empty_graph_begins_one) {
  session_ = *Session::open(*runtime_, {});
  EXPECT_TRUE(session_->extend(tensorflow::GraphDef()).ok());
  EXPECT_THAT(std::string(session_->run({}, {"sum"}).status().message()),
              HasSubstr("was not found in the Graph"));
}

TEST_F(MessagesTest, a_callable_is_made_of_the_bytes_of_its_options) {
  Session& s = open();
  tensorflow::CallableOptions proto;
  proto.add_feed("x:0");
  proto.add_fetch("sum:0");
  proto.mutable_run_options()->set_trace_level(tensorflow::RunOptions::FULL_TRACE);
  const auto options = CallableOptions::from_bytes(proto.SerializeAsString());
  ASSERT_TRUE(options.ok()) << options.status();
  const CallableHandle handle = *s.make_callable(*options);
  const Tensor one = Tensor::scalar<float>(1);
  std::vector<Tensor> out(1);
  RunStats stats;
  ASSERT_TRUE(s.run_callable(handle, {&one, 1}, out, &stats).ok());
  EXPECT_EQ(out[0].value<float>(), 2);
  EXPECT_FALSE(stats.metadata.empty());
}

TEST_F(MessagesTest, options_of_a_callable_that_make_no_sense_are_refused) {
  EXPECT_EQ(CallableOptions::from_bytes("nonsense").status().code(), absl::StatusCode::kInvalidArgument);
  Session& s = open();
  auto made = [&s](const tensorflow::CallableOptions& proto) {
    const auto options = CallableOptions::from_bytes(proto.SerializeAsString());
    EXPECT_TRUE(options.ok()) << options.status();
    return s.make_callable(*options).status();
  };
  tensorflow::CallableOptions proto;
  proto.add_feed("x:0");
  proto.add_fetch("sum:0");
  (*proto.mutable_feed_devices())["x:0"] = "/device:GPU:0";
  EXPECT_EQ(made(proto).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(made(proto).message()),
              HasSubstr("Device '/device:GPU:0' specified for tensor 'x:0'"));
  proto.clear_feed_devices();
  (*proto.mutable_fetch_devices())["sum:0"] = "/job:localhost/replica:0/task:0/device:CPU:0";
  EXPECT_EQ(made(proto).code(), absl::StatusCode::kUnimplemented);
  proto.set_fetch_skip_sync(true);
  EXPECT_EQ(made(proto), absl::OkStatus());
}

TEST_F(MessagesTest, an_inspection_by_message_shows_the_steps) {
  Session& s = open();
  auto step = std::async(std::launch::async, [&] { return s.run(x(), {"hang"}).status(); });
  absl::StatusOr<InspectReply> reply;
  do {
    reply = ask<InspectReply>(core()->actor, InspectRequest{});
  } while (reply.ok() && (reply->steps.empty() || reply->steps[0].frontier.empty()));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_THAT(reply->steps[0].fetches, testing::ElementsAre("hang"));
  EXPECT_EQ(*s.cancel(), 1);
  (void)step.get();
}

TEST_F(MessagesTest, containers_are_cleared_by_message) {
  const int v =
      add("v", "VarHandleOp",
          {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}, {"shared_name", std::string("v")}});
  const int one = constant("one", Tensor::scalar<float>(1));
  add("init", "AssignVariableOp", {{"dtype", DataType::kFloat}}, {{v, 0}, {one, 0}});
  add("read", "ReadVariableOp", {{"dtype", DataType::kFloat}}, {{v, 0}});
  Session& s = open();
  ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
  EXPECT_TRUE(s.run({}, {"read"}).ok());
  EXPECT_TRUE(ask<Done>(core()->actor, ClearContainers{}).ok());
  EXPECT_EQ(s.run({}, {"read"}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(MessagesTest, the_runtime_and_its_devices_tell_what_they_launched) {
  const int a = add("a", "TestSleep", {{"micros", 2000}}, {{graph_.find("x")->id, 0}});
  const int b = add("b", "TestSleep", {{"micros", 2001}}, {{graph_.find("x")->id, 0}});
  add("ab", "TestAdd", {}, {{a, 0}, {b, 0}});
  Session& s = open();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(s.run(x(), {"ab"}).ok());
  const auto device = ask<DeviceStatus>(runtime_->impl().devices().at("CPU:0"), DeviceStatusRequest{});
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_GE(device->batches, 1);
  EXPECT_GE(device->kernels_launched, 2);
  const auto all = ask<RuntimeStatus>(runtime_actor(*runtime_), RuntimeStatusRequest{});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->sessions, 1);
  EXPECT_EQ(all->devices.size(), 1u);
  EXPECT_GE(all->kernels_launched, device->kernels_launched);
  EXPECT_GT(all->memory.num_allocations, 0);
}

TEST_F(MessagesTest, a_reset_closes_all_sessions) {
  Session& s = open();
  EXPECT_TRUE(ask<Done>(runtime_actor(*runtime_), ResetRequest{}).ok());
  EXPECT_EQ(s.run(x(), {"sum"}).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace troupe::test
