// EXECUTOR: what begins, drives, stops and ends a partition; what becomes of kernels that are out when it dies.
#include <gmock/gmock.h>

#include "actors/executor_actor.h"
#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

/// Slots whose STEP is a probe, and whose DEVICE may be. `sum` = x + x on one device; `across` the same on two; `alone` hangs; `both` = x + x
/// by two kernels for other threads; `fails` fails beside a kernel that hangs; `endless` is a loop.
class ExecutorActorTest : public ActorTest {
 protected:
  ExecutorActorTest() {
    const int x = placeholder("x");
    add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("alone", "TestHang", {}, {{x, 0}});
    const int far = add("far", "TestAdd", {}, {{x, 0}, {x, 0}}, {}, "/device:CPU:1");
    add("across", "Identity", {{"T", DataType::kFloat}}, {{far, 0}}, {}, "/device:CPU:0");
    const int a = add("a", "TestSleep", {{"micros", 0}}, {{x, 0}});
    const int b = add("b", "TestSleep", {{"micros", 1}}, {{x, 0}});
    add("both", "TestAdd", {}, {{a, 0}, {b, 0}});
    const int hang = add("hang", "TestHang", {}, {{x, 0}});
    const int fail = add("fail", "TestFail", {}, {{x, 0}});
    add("fails", "TestAdd", {}, {{hang, 0}, {fail, 0}});
    endless_loop("endless");
    open_session();
  }
  void TearDown() override {
    step_.reset();
    device_.reset();
    slot_.reset();
    ActorTest::TearDown();
  }

  /// With the probe as its STEP.
  void use_slot(const std::string& fetch, bool feed = true) {
    LeaseRequest want;
    if (feed) want.feeds = {"x"};
    want.fetches = {fetch};
    slot_ = new_slot(want);
    step_ = std::make_unique<StandIn<StepActor>>(system(), slot_->step);
  }
  void use_device_probe() { device_ = std::make_unique<StandIn<DeviceActor>>(system(), slot_->devices[0]); }
  const ExecutorActor& executor(size_t i = 0) { return slot_->executors[i]; }
  const RunEnd& end() { return slot_->life.end(); }
  void abort(int64_t id, const std::string& why) {
    tell(executor(), AbortExecutor{id, absl::CancelledError(why)});
    run_all();
  }
  FrontierReply inspect() {
    const auto reply = ask<FrontierReply>(executor(), InspectExecutor{});
    run_all();
    return reply->value();
  }
  bool hangs() {
    const auto lines = inspect().lines;
    return !lines.empty() && lines[0].ends_with(": running");
  }

  std::shared_ptr<StepSlot> slot_;
  std::unique_ptr<StandIn<StepActor>> step_;
  std::unique_ptr<StandIn<DeviceActor>> device_;
};

TEST_F(ExecutorActorTest, ends_a_direct_run_itself) {
  use_slot("sum");
  start(*slot_);
  EXPECT_FALSE(slot_->finished);
  EXPECT_TRUE(run_turn_of(executor()));
  EXPECT_TRUE(slot_->finished);
  EXPECT_EQ(fetched(*slot_), 42);
  EXPECT_TRUE(end().status.ok());
  run_all();
  EXPECT_EQ(step_->size(), 0u) << "its STEP hears nothing";
}

TEST_F(ExecutorActorTest, tells_the_step_when_its_partition_is_through) {
  use_slot("across");
  ASSERT_EQ(slot_->executors.size(), 2u);
  const int64_t id = prepare(*slot_);
  tell(slot_->rendezvous, RendezvousBegin{id});
  for (const ExecutorActor& e : slot_->executors) tell(e, StartExecutor{});
  run_all();
  const auto done = step_->got<ExecutorDone>();
  ASSERT_EQ(done.size(), 2u);
  EXPECT_NE(done[0].index, done[1].index);
  for (const ExecutorDone& d : done) EXPECT_EQ(d.step_id, id);
  EXPECT_EQ(fetched(*slot_), 42);
  EXPECT_FALSE(slot_->finished) << "the STEP says so";
}

TEST_F(ExecutorActorTest, runs_one_step_after_the_other) {
  use_slot("sum");
  for (int i = 0; i < 4; ++i) {
    start(*slot_, static_cast<float>(i));
    run_all();
    ASSERT_TRUE(slot_->finished);
    EXPECT_EQ(fetched(*slot_), 2 * i);
    (void)slot_->life.finish();
    slot_->end();
  }
}

TEST_F(ExecutorActorTest, has_nothing_to_drain_inspect_or_abort_before_the_first_step_or_between) {
  use_slot("sum");
  for (int i = 0; i < 2; ++i) {
    tell(executor(), DrainKernels{});
    abort(0, "nothing");
    abort(slot_->life.id(), "the last one");
    const FrontierReply idle = inspect();
    EXPECT_THAT(idle.lines, IsEmpty());
    EXPECT_EQ(idle.memory.step_id, 0);
    start(*slot_);
    run_all();
    EXPECT_TRUE(end().status.ok()) << end().status;
    EXPECT_EQ(fetched(*slot_), 42);
    (void)slot_->life.finish();
    slot_->end();
  }
  EXPECT_EQ(step_->size(), 0u);
}

TEST_F(ExecutorActorTest, says_what_is_not_done_and_what_it_holds) {
  use_slot("alone");
  const int64_t id = start(*slot_);
  run_all();
  const FrontierReply running = inspect();
  ASSERT_FALSE(running.lines.empty());
  EXPECT_THAT(running.lines[0], AllOf(testing::StartsWith("alone ("), HasSubstr(") on /job:localhost/"),
                                      EndsWith(": running")));
  EXPECT_EQ(running.memory.step_id, id);
  EXPECT_EQ(running.memory.session_id, core()->id);
}

TEST_F(ExecutorActorTest, starts_nothing_more_once_it_is_told_to_stop) {
  use_slot("alone");
  const int64_t id = start(*slot_);
  run_all();
  tell(executor(), AbortExecutor{id, absl::CancelledError("enough")});
  tell(executor(), AbortExecutor{id, absl::CancelledError("more than enough")});
  EXPECT_TRUE(run_turn_of(executor()));
  EXPECT_TRUE(slot_->life.token().token().cancelled()) << "a kernel of it was out";
  EXPECT_FALSE(slot_->finished) << "what the kernel answers is a message";
  run_all();
  EXPECT_TRUE(slot_->finished);
  EXPECT_THAT(end().status.message(), HasSubstr("enough"));
  EXPECT_THAT(end().status.message(), testing::Not(HasSubstr("more")));
}

TEST_F(ExecutorActorTest, does_not_stop_for_another_steps_abort) {
  use_slot("alone");
  const int64_t id = start(*slot_);
  run_all();
  abort(id - 1, "an earlier one's");
  abort(id + 1, "a later one's");
  abort(0, "nobody's");
  slot_->life.cancel(id, absl::CancelledError("its own"));
  run_all();
  EXPECT_THAT(end().status.message(), HasSubstr("its own"));
}

TEST_F(ExecutorActorTest, takes_no_abort_of_a_step_whose_start_is_behind_it) {
  use_slot("sum");
  const int64_t id = prepare(*slot_);
  tell(executor(), AbortExecutor{id, absl::CancelledError("too early")});
  slot_->life.start();
  run_all();
  EXPECT_TRUE(end().status.ok()) << "its token tells a step that is cancelled before it starts";
}

TEST_F(ExecutorActorTest, hands_kernels_for_other_threads_over_at_once) {
  use_slot("both");
  use_device_probe();
  start(*slot_);
  run_all();
  const auto launched = device_->got<LaunchKernels>();
  ASSERT_EQ(launched.size(), 1u);
  EXPECT_EQ(launched[0].tasks.size(), 2u);
  EXPECT_EQ(launched[0].pool, slot_->pool);
  EXPECT_EQ(launched[0].session, slot_->session.get());
  EXPECT_EQ(launched[0].step, slot_);
  launched[0].tasks[1]->run_to_end();
  run_all();
  EXPECT_TRUE(hangs()) << "the other is out";
  launched[0].tasks[0]->run_to_end();
  EXPECT_FALSE(slot_->finished) << "it has a message to take";
  run_all();
  EXPECT_TRUE(slot_->finished);
  EXPECT_EQ(fetched(*slot_), 42);
}

TEST_F(ExecutorActorTest, is_woken_once_for_all_that_ended_meanwhile) {
  use_slot("both");
  use_device_probe();
  slot_->collect_stats = true;
  start(*slot_);
  run_all();
  const LaunchKernels launched = device_->got<LaunchKernels>().at(0);
  for (KernelTask* task : launched.tasks) task->run_to_end();
  run_all();
  EXPECT_TRUE(slot_->finished);
  int drains = 0;
  for (const auto& [type, n] : slot_->unit->tally.counts()) drains += *type == typeid(DrainKernels) ? n : 0;
  EXPECT_EQ(drains, 1);
}

TEST_F(ExecutorActorTest, runs_the_kernels_that_no_other_thread_would_have) {
  use_slot("both");
  use_device_probe();
  start(*slot_);
  run_all();
  const LaunchKernels launched = device_->got<LaunchKernels>().at(0);
  for (KernelTask* task : launched.tasks) task->hand_back();
  EXPECT_FALSE(slot_->finished) << "in turns of its own";
  run_all();
  EXPECT_TRUE(slot_->finished);
  EXPECT_EQ(fetched(*slot_), 42);
}

TEST_F(ExecutorActorTest, runs_no_kernel_of_a_cancelled_step_that_comes_back) {
  use_slot("both");
  use_device_probe();
  const int64_t id = start(*slot_);
  run_all();
  slot_->life.cancel(id, absl::CancelledError("not wanted"));
  const LaunchKernels launched = device_->got<LaunchKernels>().at(0);
  for (KernelTask* task : launched.tasks) task->hand_back();
  run_all();
  EXPECT_TRUE(slot_->finished);
  EXPECT_THAT(end().status.message(), HasSubstr("not wanted"));
}

TEST_F(ExecutorActorTest, that_failed_stops_what_still_waits) {
  use_slot("fails");
  use_device_probe();
  const int64_t id = start(*slot_);
  run_all();
  for (const LaunchKernels& l : device_->got<LaunchKernels>()) {
    for (KernelTask* task : l.tasks) task->run_to_end();
  }
  run_all();
  EXPECT_TRUE(slot_->life.token().token().cancelled());
  ASSERT_EQ(step_->count<CancelStep>(), 1);
  EXPECT_EQ(step_->got<CancelStep>()[0].step_id, id);
  EXPECT_TRUE(slot_->finished);
  EXPECT_THAT(end().status.message(), HasSubstr("told to fail"));
}

TEST_F(ExecutorActorTest, lets_others_have_their_turn_in_an_endless_loop) {
  use_slot("endless", false);
  const int64_t id = start(*slot_);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run_turn_of(executor()));
  const auto reply = ask<FrontierReply>(executor(), InspectExecutor{});
  for (int i = 0; i < 10 && reply->waits(); ++i) run_one();
  EXPECT_EQ(reply->times, 1);
  EXPECT_EQ(reply->value().memory.step_id, id);
  EXPECT_FALSE(slot_->finished);
  abort(id, "enough");
  EXPECT_TRUE(slot_->finished);
  EXPECT_THAT(end().status.message(), HasSubstr("enough"));
}

TEST_F(ExecutorActorTest, lets_go_of_its_slot_when_it_dies) {
  use_slot("sum");
  run_all();
  const auto before = slot_.use_count();
  kill(executor());
  start(*slot_);
  run_all();
  EXPECT_EQ(slot_.use_count(), before - 1);
  EXPECT_TRUE(slot_->finished) << "its real STEP has heard";
  EXPECT_THAT(end().status.message(), HasSubstr("died"));
}

TEST_F(ExecutorActorTest, leaves_its_slot_to_a_kernel_that_is_out_when_it_dies) {
  use_slot("alone");
  start(*slot_);
  run_all();
  const auto before = slot_.use_count();
  kill(executor());
  EXPECT_TRUE(run_turn_of(executor()));
  EXPECT_FALSE(is_alive(executor()));
  EXPECT_EQ(slot_.use_count(), before);
  slot_->life.cancel(0, absl::CancelledError("enough"));
  EXPECT_EQ(slot_.use_count(), before - 1) << "it has answered, to nobody";
  run_all();
  EXPECT_TRUE(slot_->finished);
}

TEST_F(ExecutorActorTest, leaves_its_slot_to_a_device_that_has_kernels_of_it_when_it_dies) {
  use_slot("both");
  use_device_probe();
  const std::weak_ptr<StepSlot> slot = slot_;
  start(*slot_);
  run_all();
  LaunchKernels launched = device_->got<LaunchKernels>().at(0);
  kill(executor());
  kill(step_->real());
  run_all();
  step_.reset();
  device_.reset();
  slot_.reset();
  EXPECT_FALSE(slot.expired());
  for (KernelTask* task : launched.tasks) task->run_to_end();
  run_all();
  launched = {};
  EXPECT_TRUE(slot.expired());
}

TEST_F(ExecutorActorTest, does_not_answer_who_asks_when_it_is_gone) {
  use_slot("sum");
  kill(executor());
  const auto reply = ask<FrontierReply>(executor(), InspectExecutor{});
  run_all();
  EXPECT_EQ(reply->times, 1);
  EXPECT_EQ(reply->status.code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace troupe::test
