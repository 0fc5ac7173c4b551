// What a partition tells of itself: what runs, what waits, how long nodes took.
#include <gmock/gmock.h>

#include <map>
#include <utility>

#include "tests/actors/step/executor_state_fixture.h"

namespace troupe::test {
namespace {

TEST_F(ExecutorStateTest, tells_what_runs_what_is_ready_and_what_waits_for_what) {
  const int zero = constant("zero", 0);
  const int busy = add("busy", "Later", {}, {{zero, 0}});
  const int up = add("up", "CountUp", {}, {{zero, 0}});
  const int bound = add("bound", "Plus", {}, {{busy, 0}, {constant("two", 2), 0}});
  const int half = add("half", "Plus", {}, {{up, 0}, {busy, 0}});
  add("nothing_yet", "Plus", {}, {{bound, 0}, {half, 0}});
  compile();
  EXPECT_TRUE(is_bound("bound"));
  EXPECT_TRUE(state_->frontier(10).empty());
  start();
  EXPECT_FALSE(told(10).empty());
  EXPECT_EQ(told(10)[0], "zero: ready");
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  EXPECT_THAT(told(10),
              testing::ElementsAre("busy: running", "bound: waits for busy", "half: waits for busy"));
  EXPECT_THAT(told(2), testing::ElementsAre("busy: running", "bound: waits for busy"));
  EXPECT_THAT(told(1), testing::ElementsAre("busy: running"));
  for (auto& done : std::exchange(Later::out, {})) done(absl::InternalError("told to"));
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_TRUE(state_->last_frontier().empty()) << "an error names its node; only cancels and deadlines ask";
}

TEST_F(ExecutorStateTest, tells_of_each_node_in_many_iterations_once) {
  loop("f", {constant("zero", 0), 0}, 10, 3);
  const int body = graph_.find("f/switch")->id;
  const int busy = add("busy", "Later", {}, {{body, 1}});
  add("half", "Plus", {}, {{body, 1}, {busy, 0}});
  compile();
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  EXPECT_THAT(told(10), testing::ElementsAre("busy: running", "half: waits for busy"));
  token_.cancel(absl::CancelledError("enough"));
  for (auto& done : std::exchange(Later::out, {})) done(absl::CancelledError("enough"));
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_FALSE(state_->last_frontier().empty());
}

TEST_F(ExecutorStateTest, times_what_ran_in_this_step_and_not_what_was_dead) {
  const int zero = constant("zero", 0);
  const int sw = add("switch", "Switch", {{"T", DataType::kInt32}}, {{zero, 0}, {truth("no", false), 0}});
  add("dead", "CountUp", {}, {{sw, 1}});
  add("alive", "CountUp", {}, {{sw, 0}});
  add("busy", "Later", {}, {{zero, 0}});
  compile();
  for (int step = 0; step < 2; ++step) {
    start(true);
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
    for (auto& done : std::exchange(Later::out, {})) done(absl::OkStatus());
    EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
    std::map<std::string, NodeTiming> timed;
    for (const NodeTiming& t : state_->timings()) {
      EXPECT_TRUE(timed.emplace(state_->partition().info(t.node).name, t).second) << "once a step";
    }
    EXPECT_FALSE(timed.contains("dead"));
    for (const char* name : {"alive", "busy"}) {
      ASSERT_TRUE(timed.contains(name)) << name;
      EXPECT_GT(timed[name].begin_ns, 0) << name;
      EXPECT_GE(timed[name].end_ns, timed[name].begin_ns) << name;
      EXPECT_NE(timed[name].thread, 0u) << name;
    }
  }
  start();
  advance();
  for (auto& done : std::exchange(Later::out, {})) done(absl::OkStatus());
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_TRUE(state_->timings().empty()) << "nobody asked";
}

}  // namespace
}  // namespace troupe::test
