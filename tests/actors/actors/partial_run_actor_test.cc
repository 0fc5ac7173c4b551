// PARTIAL RUN: its turns, what ends it, its lease and deadlines, what it gives back.
#include <gmock/gmock.h>

#include "tests/actors/actors/partial_run_actor_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

TEST_F(PartialRunActorTest, feeds_and_fetches_in_turns) {
  begin();
  const auto one = turn({fed("a", 1)}, {"one"});
  EXPECT_EQ(first(*one), 2);
  EXPECT_EQ(one->value().stats.step_id, slot_->life.id());
  EXPECT_EQ(ended(), 0);
  EXPECT_EQ(first(*turn({fed("b", 5)}, {"two"})), 7);
  EXPECT_EQ(ended(), 1);
  EXPECT_EQ(session_->got<PartialRunEnded>()[0].handle, "its name");
  EXPECT_TRUE(has_given_back());
}

TEST_F(PartialRunActorTest, says_which_step_its_turns_are_of) {
  begin();
  const auto reply = turn({fed("a", 1)}, {"one"});
  EXPECT_GT(reply->value().stats.step_id, 0);
  EXPECT_EQ(reply->value().stats.step_id, slot_->life.id());
}

TEST_F(PartialRunActorTest, answers_a_turn_that_fetches_nothing_at_once_and_one_that_waits_when_it_can) {
  begin();
  const auto fetching = turn({fed("a", 1)}, {"one"});
  const auto feeding = turn({fed("b", 5)}, {});
  EXPECT_EQ(feeding->times, 1);
  EXPECT_EQ(first(*fetching), 2);
  EXPECT_EQ(first(*turn({}, {"two"})), 7);
}

TEST_F(PartialRunActorTest, answers_the_last_turn_when_nothing_of_the_run_is_left) {
  begin();
  const std::vector<NamedTensor> feeds{fed("a", 1), fed("b", 5)};
  const auto last = ask<RunReply>(run_, PartialRunTurn{feeds, {"one", "two"}});
  run_all_but(slot_->step);
  EXPECT_TRUE(last->waits()) << "the STEP has not said that it is over";
  EXPECT_EQ(ended(), 0);
  run_all();
  EXPECT_EQ(first(*last), 2);
  EXPECT_TRUE(has_given_back());
}

TEST_F(PartialRunActorTest, refuses_a_turn_that_makes_no_sense_and_goes_on) {
  begin();
  EXPECT_THAT(turn({fed("c", 1)}, {})->status.message(), HasSubstr("was not specified"));
  EXPECT_THAT(turn({}, {"hang"})->status.message(), HasSubstr("was not specified"));
  EXPECT_THAT(turn({fed("a", 1)}, {"two"})->status.message(), HasSubstr("can't be computed"));
  EXPECT_EQ(first(*turn({fed("a", 1)}, {"one"})), 2);
  EXPECT_THAT(turn({fed("a", 1)}, {})->status.message(), HasSubstr("already been fed"));
  EXPECT_THAT(turn({}, {"one"})->status.message(), HasSubstr("already been fetched"));
  EXPECT_EQ(ended(), 0);
  EXPECT_EQ(first(*turn({fed("b", 5)}, {"two"})), 7);
}

TEST_F(PartialRunActorTest, takes_no_turn_once_it_is_over) {
  begin();
  turn({fed("a", 1), fed("b", 2)}, {"one", "two"});
  EXPECT_EQ(turn({}, {"one"})->status.message(), kNoSetup);
  cancel();
  EXPECT_EQ(ended(), 1);
}

TEST_F(PartialRunActorTest, tells_those_who_wait_that_it_was_cancelled) {
  begin({"one", "hang"});
  const auto waits = turn({fed("a", 1)}, {"hang"});
  EXPECT_TRUE(waits->waits());
  cancel();
  EXPECT_EQ(waits->times, 1);
  EXPECT_EQ(waits->status.message(), "enough");
  EXPECT_EQ(ended(), 1);
  EXPECT_TRUE(has_given_back());
  EXPECT_EQ(turn({}, {"one"})->status.message(), kNoSetup) << "somebody has heard why";
}

TEST_F(PartialRunActorTest, tells_the_next_who_comes_when_nobody_waited) {
  begin();
  cancel();
  EXPECT_EQ(ended(), 0);
  EXPECT_TRUE(has_given_back()) << "while the error waits for who is to hear it";
  EXPECT_EQ(turn({fed("a", 1)}, {"one"})->status.message(), "enough");
  EXPECT_EQ(ended(), 1);
  EXPECT_EQ(turn({}, {"one"})->status.message(), kNoSetup);
}

TEST_F(PartialRunActorTest, hears_only_cancels_of_its_own_step) {
  begin();
  cancel(slot_->life.id() + 1);
  EXPECT_EQ(first(*turn({fed("a", 1)}, {"one"})), 2);
  cancel(slot_->life.id());
  EXPECT_EQ(turn({fed("b", 1)}, {"two"})->status.message(), "enough");
}

TEST_F(PartialRunActorTest, keeps_to_its_first_error) {
  begin({"one", "hang"});
  const auto waits = turn({fed("a", 1)}, {"hang"});
  tell(run_, CancelPartialRun{0, absl::CancelledError("enough")});
  tell(run_, CancelPartialRun{0, absl::CancelledError("more than enough")});
  run_all();
  EXPECT_EQ(waits->status.message(), "enough");
  EXPECT_EQ(waits->times, 1);
  EXPECT_EQ(ended(), 1);
}

TEST_F(PartialRunActorTest, ends_with_the_error_of_a_kernel) {
  begin({"one", "fail"});
  const auto fails = turn({fed("b", 1)}, {"fail"});
  EXPECT_EQ(fails->times, 1);
  EXPECT_THAT(fails->status.message(), HasSubstr("told to fail"));
  EXPECT_EQ(ended(), 1);
  EXPECT_TRUE(has_given_back());
}

TEST_F(PartialRunActorTest, is_abandoned_when_nobody_takes_a_turn) {
  begin({"one", "two"}, 5000ms);
  advance(4999ms);
  EXPECT_EQ(ended(), 0);
  advance(1ms);
  EXPECT_EQ(ended(), 1);
  EXPECT_TRUE(has_given_back());
  EXPECT_EQ(turn({fed("a", 1)}, {"one"})->status.message(), kNoSetup);
}

TEST_F(PartialRunActorTest, keeps_its_lease_from_turn_to_turn_and_while_one_waits) {
  begin({"one", "hang"}, 5000ms);
  advance(4s);
  EXPECT_EQ(first(*turn({fed("a", 1)}, {"one"})), 2);
  advance(4999ms);
  EXPECT_EQ(ended(), 0);
  const auto waits = turn({}, {"hang"});
  advance(60s);
  EXPECT_TRUE(waits->waits());
  EXPECT_EQ(ended(), 0);
}

TEST_F(PartialRunActorTest, has_its_lease_for_ever_unless_told) {
  begin();
  advance(std::chrono::hours(100));
  EXPECT_EQ(first(*turn({fed("a", 1)}, {"one"})), 2);
}

TEST_F(PartialRunActorTest, is_not_abandoned_by_a_look_that_comes_early) {
  begin({"one", "two"}, 5000ms);
  advance(1s);
  tell(run_, CheckLease{});
  tell(run_, CheckLease{});
  run_all();
  EXPECT_EQ(ended(), 0);
  advance(4s);
  EXPECT_EQ(ended(), 1);
}

TEST_F(PartialRunActorTest, waits_for_a_turn_as_long_as_the_session_lets_it) {
  open(100ms);
  begin({"one", "hang"});
  EXPECT_EQ(first(*turn({fed("a", 1)}, {"one"})), 2);
  advance(50ms);
  const auto waits = turn({}, {"hang"});
  advance(99ms);
  EXPECT_TRUE(waits->waits()) << "what was set for the turn before is not for this one";
  advance(1ms);
  EXPECT_EQ(waits->times, 1);
  EXPECT_EQ(waits->status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(has_given_back());
}

TEST_F(PartialRunActorTest, forgets_values_and_timeouts_of_turns_that_are_over) {
  begin();
  turn({fed("a", 1)}, {"one"});
  tell(run_, PartialRunValue{1, 0, absl::InternalError("late"), Tensor(), false});
  tell(run_, PartialRunValue{7, 3, absl::OkStatus(), Tensor(), true});
  tell(run_, PartialRunTimeout{1});
  tell(run_, PartialRunTimeout{7});
  run_all();
  EXPECT_EQ(first(*turn({fed("b", 5)}, {"two"})), 7);
}

TEST_F(PartialRunActorTest, answers_those_who_wait_and_gives_back_when_it_dies) {
  begin({"one", "hang"});
  const auto waits = turn({fed("a", 1)}, {"hang"});
  kill(run_);
  run_all();
  EXPECT_EQ(waits->times, 1);
  EXPECT_EQ(waits->status.message(), "the partial run's actor has ended");
  EXPECT_TRUE(has_given_back());
  EXPECT_EQ(ended(), 0) << "SESSION keeps the name until it ends";
  EXPECT_EQ(turn({}, {"one"})->status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(PartialRunActorTest, tells_those_who_wait_that_an_actor_of_its_step_died) {
  begin({"one", "hang"});
  const auto waits = turn({fed("a", 1)}, {"hang"});
  kill(slot_->executors[0]);
  run_all();
  EXPECT_EQ(waits->times, 1);
  EXPECT_FALSE(waits->status.ok());
  EXPECT_EQ(ended(), 1);
  EXPECT_EQ(core()->gate.running(), 0);
}

TEST_F(PartialRunActorTest, hears_a_cancel_that_came_before_it_began) {
  spawn({"one", "two"});
  core()->note_cancel(absl::CancelledError("all of them"));
  tell(run_, StartPartialRun{});
  run_all();
  EXPECT_THAT(turn({fed("a", 1)}, {"one"})->status.message(), HasSubstr("all of them"));
  EXPECT_EQ(ended(), 1);
  EXPECT_TRUE(has_given_back());
}

TEST_F(PartialRunActorTest, begins_no_step_when_a_cancel_overtakes_its_start) {
  spawn({"one", "two"}, 5000ms);
  tell(run_, CancelPartialRun{slot_->life.id() + 1, absl::CancelledError("another's")});
  tell(run_, CancelPartialRun{0, absl::CancelledError("enough")});
  tell(run_, StartPartialRun{});
  run_all();
  EXPECT_TRUE(has_given_back()) << "a step that nobody would end";
  EXPECT_EQ(ended(), 0) << "nobody has heard why";
  advance(5000ms);
  EXPECT_EQ(ended(), 1) << "its lease is over";
  EXPECT_EQ(turn({fed("a", 1)}, {"one"})->status.message(), kNoSetup);
}

TEST_F(PartialRunActorTest, is_no_step_before_it_has_begun) {
  // The slot has run before: what is said of that run is not about this one.
  begin();
  const int64_t last = slot_->life.id();
  turn({fed("a", 1), fed("b", 2)}, {"one", "two"});
  const auto before = slot_;
  session_.reset();
  spawn({"one", "two"});
  ASSERT_EQ(slot_, before);
  const auto report = ask<PartialRunReport>(run_, InspectTurns{});
  tell(run_, CancelPartialRun{last, absl::CancelledError("enough")});
  tell(run_, StartPartialRun{});
  run_all();
  EXPECT_EQ(report->value().step_id, 0);
  EXPECT_EQ(first(*turn({fed("a", 1)}, {"one"})), 2);
}

TEST_F(PartialRunActorTest, is_started_by_a_turn_that_comes_before_the_start) {
  spawn({"one", "two"});
  const auto early = turn({fed("a", 1)}, {"one"});
  tell(run_, StartPartialRun{});
  run_all();
  EXPECT_EQ(first(*early), 2);
  turn({fed("b", 2)}, {"two"});
  EXPECT_EQ(ended(), 1);
  EXPECT_TRUE(has_given_back());
}

TEST_F(PartialRunActorTest, minds_no_start_and_no_end_that_come_twice) {
  begin({"one", "two"});
  tell(run_, StartPartialRun{});
  run_all();
  EXPECT_EQ(first(*turn({fed("a", 1)}, {"one"})), 2);
  EXPECT_EQ(first(*turn({fed("b", 5)}, {"two"})), 7);
  tell(run_, StepOver{});
  tell(run_, StartPartialRun{});
  run_all();
  EXPECT_EQ(ended(), 1);
  EXPECT_TRUE(is_alive(run_));
}

}  // namespace
}  // namespace troupe::test
