// Slots that lie idle: when they end, and that nobody looks where there are none.
#include "actors/idle_slots.h"

#include <gmock/gmock.h>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

constexpr auto kLook = IdleSlots::kLookEvery;

class IdleSlotsTest : public ActorTest {
 protected:
  IdleSlotsTest() {
    const int x = placeholder("x");
    add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("same", "Identity", {{"T", DataType::kFloat}}, {{x, 0}});
    open_session();
  }
  float run(float x) {
    const auto reply =
        ask<RunReply>(session(), RunRequest{{{"x", Tensor::scalar<float>(x)}}, {"twice"}, {}, {}});
    run_all();
    return reply->value().fetches.at(0).value<float>();
  }
  bool anybody_looks() { return scheduler().has_pending_timeout(); }
};

TEST_F(IdleSlotsTest, end_when_their_session_rests_which_runs_on_all_the_same) {
  for (float i = 1; i < 4; ++i) {
    EXPECT_EQ(run(i), 2 * i);
    EXPECT_TRUE(anybody_looks());
    advance(kLook - std::chrono::milliseconds(1));
    EXPECT_EQ(slots_alive(), 1);
    advance(std::chrono::milliseconds(1));
    EXPECT_EQ(slots_alive(), 0);
    EXPECT_FALSE(anybody_looks()) << "there is nothing to look at";
  }
  EXPECT_EQ(core()->counters().signatures, 1);
  EXPECT_EQ(core()->counters().signature_misses, 1) << "what is compiled stays";
}

TEST_F(IdleSlotsTest, stay_while_their_session_runs_now_and_then) {
  EXPECT_EQ(run(3), 6);
  const auto slot = core()->slots().at(0);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(run(3), 6);
    advance(kLook);
    EXPECT_FALSE(slot.expired()) << "look " << i;
  }
  advance(kLook);
  EXPECT_TRUE(slot.expired());
}

TEST_F(IdleSlotsTest, leave_those_alone_that_somebody_has) {
  auto leased = lease({{"x"}, {"twice"}, {}});
  auto given_back = lease({{"x"}, {"same"}, {}});
  given_back.reset();
  EXPECT_EQ(slots_alive(), 2);
  advance(kLook);
  EXPECT_EQ(slots_alive(), 1);
  EXPECT_FALSE(anybody_looks());
  leased.reset();
  EXPECT_TRUE(anybody_looks()) << "it lies idle now";
  advance(kLook);
  EXPECT_EQ(slots_alive(), 0);
}

TEST_F(IdleSlotsTest, are_looked_at_in_every_session_that_has_some) {
  constexpr int kSessions = 600;  // more than a look takes at a time
  std::vector<std::shared_ptr<StepLease>> leases;
  for (int i = 1; i < kSessions; ++i) open_session();
  for (const auto& core : runtime_->impl().live_sessions()) {
    const auto reply = ask<SlotReply>(core->actor, LeaseRequest{{"x"}, {"twice"}, {}});
    run_all();
    leases.push_back(reply->value().lease);
  }
  EXPECT_EQ(slots_alive(), kSessions);
  leases.clear();
  advance(kLook);
  EXPECT_EQ(slots_alive(), 0);
  EXPECT_FALSE(anybody_looks());
}

TEST_F(IdleSlotsTest, of_a_session_that_ends_are_nobodys_business) {
  EXPECT_EQ(run(3), 6);
  kill(session(), caf::exit_reason::user_shutdown);
  run_all();
  EXPECT_EQ(slots_alive(), 0);
  advance(kLook);
  EXPECT_FALSE(anybody_looks());
}

}  // namespace
}  // namespace troupe::test
