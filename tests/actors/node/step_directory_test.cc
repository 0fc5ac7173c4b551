#include "actors/node/step_directory.h"

#include <gtest/gtest.h>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

std::vector<PushedValue> value(int64_t step, const std::string& key, uint64_t session = 1) {
  return {{session, step, key, Tensor::scalar<float>(1), false}};
}

absl::Cord body(int64_t step, const std::string& key) {
  return *pack_pushed(1, step, key, Tensor::scalar<float>(1), false);
}

TEST(StepDirectory, keeps_what_comes_before_its_step_and_drops_what_comes_after) {
  StepDirectory steps;
  steps.add_session(1);
  ASSERT_EQ(steps.deliver(value(5, "a")), absl::OkStatus());
  ASSERT_EQ(steps.deliver(value(6, "b")), absl::OkStatus());
  EXPECT_EQ(steps.num_early(), 2u);
  // A step that never begins here.
  steps.close(1, 6);
  EXPECT_EQ(steps.num_early(), 1u);
  ASSERT_EQ(steps.deliver(value(6, "b")), absl::OkStatus());
  EXPECT_EQ(steps.num_early(), 1u);
  steps.remove_session(1);
  EXPECT_EQ(steps.num_early(), 0u);
}

TEST(StepDirectory, knows_which_steps_are_over) {
  StepDirectory steps;
  EXPECT_FALSE(steps.is_over(1, 5));
  steps.add_session(1);
  EXPECT_FALSE(steps.is_over(1, 5));
  steps.close(1, 5);
  EXPECT_TRUE(steps.is_over(1, 5));
  EXPECT_FALSE(steps.is_over(1, 6));
  EXPECT_FALSE(steps.is_over(2, 5));
}

TEST(StepDirectory, takes_a_body_that_is_a_value) {
  StepDirectory steps;
  steps.add_session(1);
  EXPECT_EQ(steps.deliver({body(5, "a")}), absl::OkStatus());
  EXPECT_EQ(steps.num_early(), 1u);
  EXPECT_TRUE(absl::IsInvalidArgument(steps.deliver({absl::Cord("no value")})));
}

TEST(StepDirectory, hands_values_that_come_together_to_their_steps) {
  caf::actor_system_config config;
  caf::actor_system system(config);
  caf::scoped_actor me(system);
  StepDirectory steps;
  steps.add_session(1);
  steps.open(1, 5, caf::actor_cast<RendezvousActor>(me.ptr()));
  ASSERT_EQ(steps.deliver({body(5, "a"), body(5, "b"), body(6, "c"), body(5, "d")}), absl::OkStatus());
  EXPECT_EQ(steps.num_early(), 1u);
  std::vector<std::string> heard;
  me->receive([&](const RendezvousBatch& m) {
    for (const RendezvousSend& v : m.values) heard.push_back(v.key);
  });
  me->receive([&](const RendezvousSend& m) { heard.push_back(m.key); });
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b", "d"}));
}

TEST(StepDirectory, knows_no_session_that_was_not_added) {
  StepDirectory steps;
  ASSERT_EQ(steps.deliver(value(5, "a", 9)), absl::OkStatus());
  EXPECT_EQ(steps.num_early(), 0u);
}

}  // namespace
}  // namespace troupe::test
