// PARTIAL RUN: what forks are made of, who waits for them, and what it says of itself.
#include <gmock/gmock.h>

#include "tests/actors/actors/partial_run_actor_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

TEST_F(PartialRunActorTest, is_forked_once_its_turns_are_answered) {
  begin();
  const auto early = ask<RunReply>(run_, PartialRunTurn{{fed("a", 1)}, {"one"}});
  const auto fork = ask<ReadyFork>(run_, ForkTurns{});
  run_all_but(slot_->rendezvous);
  EXPECT_TRUE(early->waits());
  EXPECT_TRUE(fork->waits());
  run_all();
  EXPECT_EQ(first(*early), 2);
  ASSERT_EQ(fork->times, 1);
  const PartialRunParts& parts = *fork->value().parts;
  EXPECT_THAT(parts.origin->state.feeds_to_come(), testing::ElementsAre("b"));
  EXPECT_THAT(parts.origin->state.fetches_to_come(), testing::ElementsAre("two"));
  EXPECT_EQ(parts.origin->step.executors.size(), slot_->executors.size());
  EXPECT_EQ(first(*turn({fed("b", 5)}, {"two"})), 7);
}

TEST_F(PartialRunActorTest, is_copied_again_when_a_turn_came_between) {
  begin();
  const auto fork = ask<ReadyFork>(run_, ForkTurns{});
  // It has asked how far its step is; before it hears, it is fed.
  (void)run_turn_of(run_);
  const auto feeding = ask<RunReply>(run_, PartialRunTurn{{fed("a", 1)}, {}});
  (void)run_turn_of(run_);
  run_all();
  EXPECT_EQ(feeding->times, 1);
  ASSERT_EQ(fork->times, 1);
  EXPECT_THAT(fork->value().parts->origin->state.feeds_to_come(), testing::ElementsAre("b"));
  EXPECT_EQ(fork->value().parts->origin->step.values.size(), 1U) << "`one`, which nobody has fetched";
}

TEST_F(PartialRunActorTest, tells_those_who_wait_for_forks_why_there_are_none) {
  begin({"one", "hang"});
  const auto waits = turn({fed("a", 1)}, {"hang"});
  const auto fork = ask<ReadyFork>(run_, ForkTurns{});
  run_all();
  EXPECT_TRUE(fork->waits());
  cancel();
  EXPECT_EQ(fork->times, 1);
  EXPECT_EQ(fork->status.message(), "enough");
  const auto late = ask<ReadyFork>(run_, ForkTurns{});
  run_all();
  EXPECT_EQ(late->status.message(), kNoSetup);
}

TEST_F(PartialRunActorTest, answers_those_who_wait_for_forks_when_it_dies) {
  begin({"one", "hang"});
  turn({fed("a", 1)}, {});
  const auto fork = ask<ReadyFork>(run_, ForkTurns{});
  run_all();
  EXPECT_TRUE(fork->waits()) << "a kernel is out";
  kill(run_);
  run_all();
  EXPECT_EQ(fork->times, 1);
  EXPECT_EQ(fork->status.message(), "the partial run's actor has ended");
}

TEST_F(PartialRunActorTest, lets_a_fork_wait_as_long_as_the_session_lets_it) {
  open(100ms);
  begin({"one", "hang"});
  turn({fed("a", 1)}, {});
  const auto fork = ask<ReadyFork>(run_, ForkTurns{});
  run_all();
  advance(99ms);
  EXPECT_TRUE(fork->waits());
  advance(1ms);
  EXPECT_EQ(fork->status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(first(*turn({}, {"one"})), 2) << "the run goes on";
}

TEST_F(PartialRunActorTest, says_how_far_it_is) {
  begin({"one", "two"}, 5000ms);
  turn({fed("a", 1)}, {"one"});
  advance(2s);
  const auto report = ask<PartialRunReport>(run_, InspectTurns{});
  run_all();
  EXPECT_EQ(report->value().handle, "its name");
  EXPECT_EQ(report->value().step_id, slot_->life.id());
  EXPECT_THAT(report->value().feeds_to_come, testing::ElementsAre("b"));
  EXPECT_THAT(report->value().fetches_to_come, testing::ElementsAre("two"));
  EXPECT_EQ(report->value().idle, 2000ms);
  EXPECT_EQ(report->value().lease, 5000ms);
}

}  // namespace
}  // namespace troupe::test
