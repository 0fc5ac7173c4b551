// RUNTIME: sessions opened and refused, reset, counted; what its death leaves.
#include <gmock/gmock.h>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using namespace std::chrono_literals;

class RuntimeActorTest : public ActorTest {
 protected:
  RuntimeActorTest() {
    const int x = placeholder("x");
    add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("hang", "TestHang", {}, {{x, 0}});
  }

  std::shared_ptr<Reply<SessionActor>> try_open(const SessionOptions& options) {
    auto reply = ask<SessionActor>(runtime_handle(), OpenSession{options});
    run_all();
    if (reply->status.ok()) adopt(reply->value());
    return reply;
  }
  static SessionOptions named(const std::string& name, int64_t version) {
    SessionOptions options;
    options.has_metadata = true;
    options.metadata_name = name;
    options.metadata_version = version;
    return options;
  }
  std::shared_ptr<Reply<RunReply>> run(const std::string& fetch) {
    auto reply =
        ask<RunReply>(session(), RunRequest{{{"x", Tensor::scalar<float>(21)}}, {fetch}, {}, RunOptions()});
    run_all();
    return reply;
  }
  absl::Status reset(const std::vector<std::string>& containers) {
    const auto reply = ask<Done>(runtime_handle(), ResetRequest{containers});
    run_all();
    EXPECT_EQ(reply->times, 1);
    return reply->status;
  }
  std::shared_ptr<Reply<RuntimeStatus>> ask_status() {
    auto reply = ask<RuntimeStatus>(runtime_handle(), RuntimeStatusRequest{});
    run_all();
    return reply;
  }
};

TEST_F(RuntimeActorTest, opens_sessions_that_know_nothing_of_each_other) {
  const SessionActor one = open_session();
  const auto first = core();
  const SessionActor other = open_session();
  EXPECT_NE(one, other);
  EXPECT_NE(first->id, core()->id);
  kill(one);
  run_all();
  EXPECT_FALSE(is_alive(one));
  EXPECT_EQ(run("sum")->value().fetches[0].value<float>(), 42);
}

TEST_F(RuntimeActorTest, opens_no_session_elsewhere_or_without_devices) {
  SessionOptions elsewhere;
  elsewhere.target = "grpc://localhost:1";
  EXPECT_EQ(try_open(elsewhere)->status.code(), absl::StatusCode::kNotFound);
  SessionOptions nowhere;
  nowhere.device_count["CPU"] = 0;
  EXPECT_EQ(try_open(nowhere)->status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ask_status()->value().sessions, 0);
}

TEST_F(RuntimeActorTest, opens_sessions_whose_pool_has_another_size_but_they_take_no_graph) {
  SessionOptions options;
  options.inter_op_pools = {{1, "shared"}};
  open_session(options);
  open_session(options);
  options.inter_op_pools = {{2, "shared"}};
  open_empty_session(options);
  const auto graph = std::make_shared<const Graph>(graph_.clone());
  const auto created = ask<Done>(session(), CreateGraph{nullptr, graph});
  const auto extended = ask<Done>(session(), ExtendGraph{nullptr, graph});
  const auto finalized = ask<Done>(session(), FinalizeRequest{});
  run_all();
  for (const auto& refused : {created, extended, finalized})
    EXPECT_EQ(refused->status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RuntimeActorTest, gives_a_name_and_version_to_one_open_session_at_a_time) {
  EXPECT_TRUE(try_open(named("a", 1))->status.ok());
  EXPECT_THAT(try_open(named("a", 1))->status.message(), HasSubstr("has already been created"));
  EXPECT_TRUE(try_open(named("a", 2))->status.ok());
  EXPECT_TRUE(try_open(named("b", 1))->status.ok());
  EXPECT_THAT(try_open(named("c", -1))->status.message(), HasSubstr("shouldn't be negative"));
}

TEST_F(RuntimeActorTest, frees_the_name_of_a_session_that_is_closed_or_dead) {
  const SessionActor one = try_open(named("a", 1))->value();
  const auto closed = ask<Done>(one, CloseRequest{});
  run_all();
  EXPECT_TRUE(closed->status.ok());
  const auto second = try_open(named("a", 1));
  ASSERT_TRUE(second->status.ok());
  kill(second->value());
  run_all();
  EXPECT_TRUE(try_open(named("a", 1))->status.ok());
}

TEST_F(RuntimeActorTest, s062_closes_all_sessions_at_a_reset) {
  const SessionActor one = open_session();
  const auto waits = run("hang");
  open_session();
  EXPECT_TRUE(reset({}).ok());
  EXPECT_EQ(waits->status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(run("sum")->status.message(), "Session has been closed.");
  EXPECT_TRUE(is_alive(one)) << "closed, not ended";
  EXPECT_TRUE(reset({"c"}).ok()) << "there is nothing left to reset";
  open_session();
  EXPECT_TRUE(run("sum")->status.ok());
}

TEST_F(RuntimeActorTest, refuses_runs_from_the_reset_on_though_the_session_has_not_heard) {
  open_session();
  const auto reply = ask<Done>(runtime_handle(), ResetRequest{});
  EXPECT_TRUE(run_turn_of(runtime_handle()));
  const auto runs = core();
  ASSERT_NE(runs, nullptr);
  EXPECT_TRUE(runs->closed());
  EXPECT_EQ(run("sum")->status.message(), "Session has been closed.");
  EXPECT_EQ(reply->times, 1);
}

TEST_F(RuntimeActorTest, says_how_many_sessions_there_are_and_each_device_once) {
  EXPECT_EQ(ask_status()->value().sessions, 0);
  EXPECT_THAT(ask_status()->value().devices, SizeIs(0));
  open_session();
  SessionOptions three;
  three.device_count["CPU"] = 3;
  open_session(three);
  const auto status = ask_status();
  EXPECT_EQ(status->value().sessions, 2);
  EXPECT_THAT(status->value().devices, SizeIs(3));
  tell(session(), CloseRequest{});
  run_all();
  EXPECT_EQ(ask_status()->value().sessions, 1);
}

TEST_F(RuntimeActorTest, says_what_running_steps_hold) {
  open_session();
  const auto waits = run("hang");
  const auto status = ask_status();
  ASSERT_THAT(status->value().steps, SizeIs(1));
  EXPECT_EQ(status->value().steps[0].session_id, core()->id);
  EXPECT_TRUE(waits->waits());
}

TEST_F(RuntimeActorTest, waits_for_an_executor_inside_a_kernel_no_longer_than_its_device_does) {
  open_session();
  run("sum");
  Probe silent(system());
  tell(runtime_->impl().devices().at("CPU:0"), JoinDevice{silent.actor().address()});
  const auto status = ask_status();
  const auto other = ask_status();
  EXPECT_TRUE(status->waits());
  advance(20ms);
  EXPECT_EQ(status->times, 1);
  EXPECT_EQ(other->times, 1);
  EXPECT_EQ(status->value().sessions, 1);
}

TEST_F(RuntimeActorTest, does_without_a_device_that_has_died) {
  open_session();
  run("sum");
  kill(runtime_->impl().devices().at("CPU:0"));
  const auto status = ask_status();
  EXPECT_EQ(status->times, 1);
  EXPECT_EQ(status->value().sessions, 1);
  EXPECT_EQ(run("sum")->value().fetches[0].value<float>(), 42) << "there is another in its place";
}

TEST_F(RuntimeActorTest, answers_those_who_wait_when_it_dies) {
  open_session();
  run("sum");
  Probe silent(system());
  tell(runtime_->impl().devices().at("CPU:0"), JoinDevice{silent.actor().address()});
  const auto waits = ask_status();
  kill(runtime_handle());
  const auto late = ask<SessionActor>(runtime_handle(), OpenSession{});
  run_all();
  EXPECT_EQ(waits->times, 1);
  EXPECT_EQ(waits->status.message(), "the runtime has ended");
  EXPECT_EQ(late->status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(RuntimeActorTest, leaves_its_sessions_when_it_dies) {
  open_session();
  kill(runtime_handle());
  run_all();
  EXPECT_FALSE(is_alive(runtime_handle()));
  EXPECT_TRUE(is_alive(session()));
  EXPECT_EQ(run("sum")->value().fetches[0].value<float>(), 42);
}

TEST_F(RuntimeActorTest, opens_nothing_once_the_runtime_is_shut_down) {
  const RuntimeActor another = spawn_runtime(system(), runtime_->impl().shared_from_this());
  kill(runtime_handle());
  run_all();
  runtime_->shutdown();
  const auto refused = ask<SessionActor>(another, OpenSession{});
  run_all();
  EXPECT_EQ(refused->status.code(), absl::StatusCode::kFailedPrecondition);
  kill(another);
  run_all();
}

}  // namespace
}  // namespace troupe::test
