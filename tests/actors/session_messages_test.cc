// Sessions by message: what only a conversation shows.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "actors/errors.h"
#include "actors/runtime_impl.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

constexpr std::chrono::seconds kAnswerTime{20};

/// "sum" is x + x; "hang" waits until it is cancelled; "handle" is a session handle of x, and "got" the tensor of one.
class SessionMessages : public SessionTest {
 protected:
  SessionMessages() {
    const int x = placeholder("x");
    add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("hang", "TestHang", {}, {{x, 0}});
    add("handle", "GetSessionHandle", {{"T", DataType::kFloat}}, {{x, 0}});
    add("got", "GetSessionTensor", {{"dtype", DataType::kFloat}},
        {{placeholder("name", DataType::kString), 0}});
  }

  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(1)}}; }
  SessionActor session() { return runtime_->impl().live_sessions().at(0)->actor; }

  template <class Reply, class Actor, class Message>
  absl::StatusOr<Reply> ask(const Actor& actor, Message message) {
    caf::scoped_actor self{runtime_->system()};
    absl::StatusOr<Reply> result = absl::InternalError("no answer");
    self->request(actor, kAnswerTime, std::move(message))
        .receive([&](const Reply& reply) { result = reply; }, [&](caf::error& e) { result = to_status(e); });
    return result;
  }
  PartialRunActor set_up(std::vector<std::string> fetches) {
    caf::scoped_actor self{runtime_->system()};
    PartialRunActor run;
    self->request(session(), kAnswerTime, PartialRunSetup{{"x"}, std::move(fetches), {}})
        .receive([&](const std::string&, const PartialRunActor& a) { run = a; },
                 [](caf::error& e) { ADD_FAILURE() << to_string(e); });
    return run;
  }
};

TEST_F(SessionMessages, release_a_callable_and_refuse_one_that_is_none) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"sum"};
  const CallableHandle handle = *s.make_callable(options);
  EXPECT_TRUE(ask<Done>(session(), ReleaseCallable{handle}).ok());
  EXPECT_EQ(ask<Done>(session(), ReleaseCallable{handle + 1}).status().message(),
            absl::StrCat("No such callable handle: ", handle + 1));
  const auto gone = ask<RunReply>(session(), RunCallable{handle, {Tensor::scalar<float>(1)}});
  EXPECT_THAT(std::string(gone.status().message()), HasSubstr("after handle was released"));
}

TEST_F(SessionMessages, are_counted_as_runs) {
  Session& s = open();
  ASSERT_TRUE(s.run(x(), {"sum"}).ok());
  ASSERT_TRUE(ask<RunReply>(session(), RunRequest{x(), {"sum"}, {}, {}}).ok());
  EXPECT_EQ(s.counters().runs, 2);
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(SessionMessages, find_no_session_behind_a_reset) {
  open();
  caf::scoped_actor self{runtime_->system()};
  const RuntimeActor runtime = runtime_actor(*runtime_);
  // One behind the other, so that SESSION need not have had a turn between them.
  self->send(runtime, ResetRequest{});
  const auto status = ask<RuntimeStatus>(runtime, RuntimeStatusRequest{});
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->sessions, 0);
}

// --- partial runs ---

TEST_F(SessionMessages, of_a_partial_run_keep_the_handles_that_they_fetch) {
  Session& s = open();
  auto run = s.partial_run_setup({"x"}, {"handle:0"});
  ASSERT_TRUE(run.ok()) << run.status();
  auto handle = s.partial_run(*run, x(), {"handle:0"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto got = s.run({{"name", (*handle)[0]}}, {"got"});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].value<float>(), 1);
}

TEST_F(SessionMessages, of_a_partial_run_end_at_the_sessions_deadline) {
  SessionOptions options;
  options.operation_timeout = std::chrono::milliseconds(20);
  Session& s = open(options);
  auto run = s.partial_run_setup({"x"}, {"hang:0", "sum:0"});
  ASSERT_TRUE(run.ok()) << run.status();
  auto sum = s.partial_run(*run, x(), {"sum:0"});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(s.partial_run(*run, {}, {"hang:0"}).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(s.wait_idle(kAnswerTime).ok());
}

TEST_F(SessionMessages, of_a_partial_run_whose_actor_is_killed_are_answered_and_its_step_ends) {
  Session& s = open();
  const PartialRunActor run = set_up({"hang:0"});
  ASSERT_TRUE(run);
  caf::scoped_actor self{runtime_->system()};
  auto turn = self->request(run, kAnswerTime, PartialRunTurn{x(), {"hang:0"}});
  self->send_exit(run, caf::exit_reason::kill);
  turn.receive([](const RunReply&) { ADD_FAILURE() << "it hangs"; }, [](caf::error& e) { EXPECT_TRUE(e); });
  EXPECT_TRUE(s.wait_idle(kAnswerTime).ok()) << "its step must end without anybody's help";
}

/// A client that keeps what it is told.
struct Heard {
  std::mutex mu;
  std::condition_variable changed;
  std::vector<RunFinished> ends;

  std::vector<RunFinished> await(size_t n) {
    std::unique_lock lock(mu);
    EXPECT_TRUE(changed.wait_for(lock, kAnswerTime, [&] { return ends.size() >= n; })) << ends.size();
    return ends;
  }
};

RunClient spawn_client(caf::actor_system& system, const std::shared_ptr<Heard>& heard) {
  return system.spawn([heard](RunClient::pointer) -> RunClient::behavior_type {
    return {[heard](const RunFinished& m) {
      std::lock_guard lock(heard->mu);
      heard->ends.push_back(m);
      heard->changed.notify_all();
    }};
  });
}

TEST_F(SessionMessages, begin_runs_and_tell_their_client_of_the_end) {
  open();
  const auto heard = std::make_shared<Heard>();
  const RunClient client = spawn_client(runtime_->system(), heard);
  const auto hangs = ask<RunBegun>(session(), BeginRun{{x(), {"hang"}, {}, {}}, client});
  const auto sums = ask<RunBegun>(session(), BeginRun{{x(), {"sum"}, {}, {}}, client});
  ASSERT_TRUE(hangs.ok() && sums.ok()) << hangs.status() << sums.status();
  EXPECT_NE(hangs->step_id, sums->step_id);
  EXPECT_NE(hangs->run, sums->run);
  RunFinished end = heard->await(1)[0];
  EXPECT_EQ(end.run, sums->run);
  EXPECT_TRUE(end.status.ok()) << end.status;
  EXPECT_EQ(end.reply.fetches.at(0).value<float>(), 2);
  EXPECT_EQ(end.reply.stats.step_id, sums->step_id);
  // Before its end it is inspected and cancelled by its id.
  const auto inspected = ask<InspectReply>(session(), InspectRequest{});
  ASSERT_EQ(inspected->steps.size(), 1U);
  EXPECT_EQ(inspected->steps[0].step_id, hangs->step_id);
  EXPECT_EQ(ask<CancelReply>(session(), CancelRequest{hangs->step_id, "enough"})->steps, 1);
  end = heard->await(2)[1];
  EXPECT_EQ(end.run, hangs->run);
  EXPECT_THAT(std::string(end.status.message()), HasSubstr("Run call was cancelled: enough"));
}

TEST_F(SessionMessages, refuse_to_begin_what_cannot_run) {
  Session& s = open();
  const auto heard = std::make_shared<Heard>();
  const RunClient client = spawn_client(runtime_->system(), heard);
  EXPECT_EQ(ask<RunBegun>(session(), BeginRun{{x(), {"nowhere"}, {}, {}}, client}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ask<RunBegun>(session(), BeginRun{{x(), {"sum"}, {}, {}}, RunClient()}).status(),
            absl::InvalidArgumentError("BeginRun names no client."));
  const SessionActor actor = session();
  ASSERT_TRUE(s.close().ok());
  EXPECT_EQ(ask<RunBegun>(actor, BeginRun{{x(), {"sum"}, {}, {}}, client}).status(),
            absl::CancelledError("Session has been closed."));
  EXPECT_TRUE(s.wait_idle(kAnswerTime).ok());
  EXPECT_TRUE(heard->ends.empty());
}

TEST_F(SessionMessages, end_the_runs_of_a_client_that_dies_and_no_other) {
  Session& s = open();
  const auto heard = std::make_shared<Heard>();
  const RunClient dies = spawn_client(runtime_->system(), std::make_shared<Heard>());
  const RunClient lives = spawn_client(runtime_->system(), heard);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(ask<RunBegun>(session(), BeginRun{{x(), {"hang"}, {}, {}}, dies}).ok());
  }
  const auto other = ask<RunBegun>(session(), BeginRun{{x(), {"hang"}, {}, {}}, lives});
  ASSERT_TRUE(other.ok());
  // One who asks, and waits for the answer, is watched too.
  auto asks = std::make_unique<caf::scoped_actor>(runtime_->system());
  (*asks)->request(session(), caf::infinite, RunRequest{x(), {"hang"}, {}, {}});
  while (s.inspect()->size() < 5) std::this_thread::yield();
  caf::anon_send_exit(dies, caf::exit_reason::kill);
  while (s.inspect()->size() > 2) std::this_thread::yield();
  asks.reset();
  while (s.inspect()->size() > 1) std::this_thread::yield();
  EXPECT_EQ(s.inspect()->at(0).step_id, other->step_id);
  EXPECT_TRUE(heard->ends.empty());
  EXPECT_EQ(*s.cancel(), 1);
  EXPECT_EQ(heard->await(1)[0].run, other->run);
}

TEST_F(SessionMessages, tell_clients_when_the_session_dies) {
  open();
  const auto heard = std::make_shared<Heard>();
  const RunClient client = spawn_client(runtime_->system(), heard);
  ASSERT_TRUE(ask<RunBegun>(session(), BeginRun{{x(), {"hang"}, {}, {}}, client}).ok());
  caf::anon_send_exit(session(), caf::exit_reason::kill);
  EXPECT_EQ(heard->await(1)[0].status.code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace troupe::test
