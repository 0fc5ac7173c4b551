// CONSOLE: whom it asks, for whom, and what it makes of those who do not answer.
#include "actors/console/console_actor.h"

#include <gmock/gmock.h>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ConsoleActorTest : public ActorTest {
 protected:
  using Report = std::shared_ptr<const ConsoleReport>;

  ConsoleActorTest() {
    const int x = placeholder("x");
    add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("hang", "TestHang", {}, {{x, 0}});
    console_ = spawn_console(system(), runtime_probe_.as<RuntimeActor>(), runtime_->impl().meter);
    run_all();
  }
  ~ConsoleActorTest() override {
    kill(console_, caf::exit_reason::user_shutdown);
    run_all();
  }
  /// Wants a report; where it will be.
  std::shared_ptr<std::vector<absl::StatusOr<Report>>> want() {
    auto told = std::make_shared<std::vector<absl::StatusOr<Report>>>();
    tell(console_, TellReport{[told](const absl::StatusOr<Report>& report) { told->push_back(report); }});
    run_all();
    return told;
  }
  /// What RUNTIME would say now.
  RuntimeStatus runtime_says() {
    const auto reply = ask<RuntimeStatus>(runtime_handle(), RuntimeStatusRequest{});
    run_all();
    return reply->value();
  }
  void answer(const RuntimeStatus& status) {
    runtime_probe_.answer(status);
    run_all();
  }

  Probe runtime_probe_{system()};
  ConsoleActor console_;
};

TEST_F(ConsoleActorTest, asks_once_for_all_who_want_to_know) {
  const auto one = want(), two = want();
  EXPECT_EQ(runtime_probe_.count<RuntimeStatusRequest>(), 1);
  EXPECT_THAT(*one, IsEmpty());
  answer(runtime_says());
  ASSERT_THAT(*one, SizeIs(1));
  ASSERT_THAT(*two, SizeIs(1));
  EXPECT_EQ(*one->at(0), *two->at(0)) << "the same report";
}

TEST_F(ConsoleActorTest, tells_the_last_report_again_while_it_is_new) {
  const auto one = want();
  answer(runtime_says());
  advance(kReportLifetime / 2);
  const auto two = want();
  ASSERT_THAT(*two, SizeIs(1));
  EXPECT_EQ(*one->at(0), *two->at(0));
  EXPECT_EQ(runtime_probe_.count<RuntimeStatusRequest>(), 1);
  advance(kReportLifetime);
  const auto three = want();
  EXPECT_EQ(runtime_probe_.count<RuntimeStatusRequest>(), 2);
  EXPECT_THAT(*three, IsEmpty());
  answer(runtime_says());
  ASSERT_THAT(*three, SizeIs(1));
  EXPECT_NE(*one->at(0), *three->at(0));
}

TEST_F(ConsoleActorTest, asks_the_sessions_that_have_steps_what_these_do) {
  open_session();
  const SessionActor busy = open_session();
  const auto waits =
      ask<RunReply>(busy, RunRequest{{{"x", Tensor::scalar<float>(1)}}, {"hang"}, {}, RunOptions()});
  run_all();
  const auto told = want();
  answer(runtime_says());
  ASSERT_THAT(*told, SizeIs(1));
  const ConsoleReport& report = **told->at(0);
  ASSERT_THAT(report.running, SizeIs(2));
  EXPECT_THAT(report.running[0], IsEmpty());
  ASSERT_THAT(report.running[1], SizeIs(1));
  EXPECT_THAT(report.running[1][0].frontier, testing::Contains(HasSubstr("hang (TestHang)")));
  EXPECT_TRUE(waits->waits());
}

TEST_F(ConsoleActorTest, leaves_a_session_out_that_does_not_answer) {
  Probe silent(system());
  RuntimeStatus status = runtime_says();
  SessionStatus session;
  session.id = 9;
  session.actor = silent.as<SessionActor>().address();
  session.counters.running_steps = 1;
  status.open_sessions.push_back(session);
  const auto told = want();
  answer(status);
  EXPECT_EQ(silent.count<InspectRequest>(), 1);
  EXPECT_THAT(*told, IsEmpty());
  advance(1s);
  ASSERT_THAT(*told, SizeIs(1));
  EXPECT_EQ((*told->at(0))->runtime.open_sessions[0].id, 9);
  EXPECT_THAT((*told->at(0))->running[0], IsEmpty());
}

TEST_F(ConsoleActorTest, says_why_there_is_no_report_and_asks_again_for_the_next) {
  const auto one = want();
  advance(10s);
  ASSERT_THAT(*one, SizeIs(1));
  EXPECT_FALSE(one->at(0).ok()) << "RUNTIME did not answer";
  const auto two = want();
  EXPECT_EQ(runtime_probe_.count<RuntimeStatusRequest>(), 2);
  // The late answer to the first is nobody's.
  answer(runtime_says());
  EXPECT_THAT(*two, IsEmpty());
  answer(runtime_says());
  ASSERT_THAT(*two, SizeIs(1));
  EXPECT_TRUE(two->at(0).ok());
}

TEST_F(ConsoleActorTest, tells_all_who_wait_that_it_ends) {
  const auto one = want();
  kill(console_);
  run_all();
  ASSERT_THAT(*one, SizeIs(1));
  EXPECT_EQ(one->at(0).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ConsoleActorTest, never_says_that_there_were_fewer_runs) {
  RuntimeStatus status = runtime_says();
  status.runs = 100;
  (void)want();
  answer(status);
  advance(kReportLifetime);
  status.runs = 90;
  const auto told = want();
  answer(status);
  EXPECT_EQ((*told->at(0))->runtime.runs, 100);
}

}  // namespace
}  // namespace troupe::test
