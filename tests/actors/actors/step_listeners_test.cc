// Who hears what becomes of steps: how many there are, the shortest patience, what each is told.
#include "actors/step_listeners.h"

#include <gmock/gmock.h>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

class StepListenersTest : public ActorTest {
 protected:
  static StepEvent event(int64_t step_id, StepEvent::Kind kind) {
    StepEvent e;
    e.kind = kind;
    e.step_id = step_id;
    return e;
  }
  void begin_session() {
    add("hang", "TestHang", {}, {{placeholder("x"), 0}});
    open_session();
  }
  /// A step that has run for ten milliseconds: ages go by the real clock.
  std::shared_ptr<StepSlot> begin_slow_step() {
    run_ =
        ask<RunReply>(session(), RunRequest{{{"x", Tensor::scalar<float>(1)}}, {"hang"}, {}, RunOptions()});
    run_all();
    std::this_thread::sleep_for(10ms);
    const auto slots = core()->slots();
    EXPECT_EQ(slots.size(), 1U);
    return slots.at(0).lock();
  }
  void end_step() {
    ask<CancelReply>(session(), CancelRequest{});
    run_all();
    EXPECT_EQ(run_->status.code(), absl::StatusCode::kCancelled);
  }
  void look(const std::shared_ptr<StepSlot>& slot) {
    listeners_.tell_of_slow_steps(7, {slot});
    run_all();
  }
  void TearDown() override {
    one_.reset();
    other_.reset();
    ActorTest::TearDown();
  }

  std::unique_ptr<Probe> one_ = std::make_unique<Probe>(system());
  std::unique_ptr<Probe> other_ = std::make_unique<Probe>(system());
  StepListeners listeners_;
  std::shared_ptr<Reply<RunReply>> run_;
};

TEST_F(StepListenersTest, are_there_from_the_first_that_comes_to_the_last_that_goes) {
  EXPECT_FALSE(listeners_.any());
  EXPECT_TRUE(listeners_.add(one_->as<StepListener>(), 0ms).ok());
  EXPECT_EQ(listeners_.add(one_->as<StepListener>(), 0ms).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(listeners_.add(other_->as<StepListener>(), 0ms).ok());
  listeners_.remove(one_->actor().address());
  EXPECT_TRUE(listeners_.any());
  listeners_.remove(one_->actor().address());
  EXPECT_TRUE(listeners_.any());
  listeners_.remove(other_->actor().address());
  EXPECT_FALSE(listeners_.any());
}

TEST_F(StepListenersTest, look_for_slow_steps_as_often_as_the_least_patient_wants) {
  EXPECT_EQ(listeners_.slow_after(), 0ms);
  EXPECT_TRUE(listeners_.add(one_->as<StepListener>(), 50ms).ok());
  EXPECT_EQ(listeners_.slow_after(), 50ms);
  EXPECT_TRUE(listeners_.add(other_->as<StepListener>(), 0ms).ok());
  EXPECT_EQ(listeners_.slow_after(), 50ms) << "who does not ask for slow steps has no say";
  listeners_.remove(other_->actor().address());
  EXPECT_TRUE(listeners_.add(other_->as<StepListener>(), 20ms).ok());
  EXPECT_EQ(listeners_.slow_after(), 20ms);
  listeners_.remove(other_->actor().address());
  EXPECT_EQ(listeners_.slow_after(), 50ms);
}

TEST_F(StepListenersTest, are_each_told_of_everything) {
  EXPECT_TRUE(listeners_.add(one_->as<StepListener>(), 0ms).ok());
  EXPECT_TRUE(listeners_.add(other_->as<StepListener>(), 0ms).ok());
  listeners_.tell(event(3, StepEvent::Kind::kBegun));
  listeners_.remove(other_->actor().address());
  listeners_.tell(event(3, StepEvent::Kind::kEnded));
  run_all();
  EXPECT_EQ(one_->count<StepEvent>(), 2);
  ASSERT_EQ(other_->count<StepEvent>(), 1);
  EXPECT_EQ(other_->got<StepEvent>()[0].step_id, 3);
}

TEST_F(StepListenersTest, hear_of_a_slow_step_once_and_of_the_next_on_its_slot_too) {
  begin_session();
  EXPECT_TRUE(listeners_.add(one_->as<StepListener>(), 1ms).ok());
  EXPECT_TRUE(listeners_.add(other_->as<StepListener>(), 1h).ok());
  for (int round = 1; round <= 2; ++round) {
    const auto slot = begin_slow_step();
    look(slot);
    look(slot);
    ASSERT_EQ(one_->count<StepEvent>(), round);
    EXPECT_EQ(one_->got<StepEvent>().back().step_id, slot->life.id());
    EXPECT_EQ(one_->got<StepEvent>().back().session_id, 7);
    EXPECT_EQ(other_->count<StepEvent>(), 0);
    end_step();
    look(slot);
    EXPECT_EQ(one_->count<StepEvent>(), round) << "it runs no more";
  }
}

TEST_F(StepListenersTest, do_not_hear_of_slow_steps_that_are_part_of_others) {
  begin_session();
  EXPECT_TRUE(listeners_.add(one_->as<StepListener>(), 1ms).ok());
  const auto slot = begin_slow_step();
  slot->outer_step_id = 5;
  look(slot);
  EXPECT_EQ(one_->count<StepEvent>(), 0);
  slot->outer_step_id = 0;
  look(slot);
  EXPECT_EQ(one_->count<StepEvent>(), 1);
  end_step();
}

}  // namespace
}  // namespace troupe::test
