// STEP: whom it starts, whose ends it gathers, whom it stops; who dies beside it, and what its own death does.
#include "actors/step_actor.h"

#include <gmock/gmock.h>

#include "actors/device_actor.h"
#include "devices/memory/host_allocator.h"
#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A STEP among probes: two EXECUTORs, the RENDEZVOUS, a DEVICE of each.
class StepActorTest : public ActorTest {
 protected:
  StepActorTest() {
    const int x = placeholder("x");
    const int far = add("far", "TestAdd", {}, {{x, 0}, {x, 0}}, {}, "/device:CPU:1");
    add("across", "Identity", {{"T", DataType::kFloat}}, {{far, 0}}, {}, "/device:CPU:0");
    add("alone", "TestHang", {}, {{x, 0}}, {}, "/device:CPU:0");
    open_session();
    use_slot("across");
  }
  void TearDown() override {
    let_go();
    ActorTest::TearDown();
  }

  /// Before the first turn of its STEP, which watches the probes then.
  void use_slot(const std::string& fetch) {
    let_go();
    slot_ = new_slot({{"x"}, {fetch}, {}});
    for (ExecutorActor& e : slot_->executors)
      executors_.push_back(std::make_unique<StandIn<ExecutorActor>>(system(), e));
    for (DeviceActor& d : slot_->devices)
      devices_.push_back(std::make_unique<StandIn<DeviceActor>>(system(), d));
    if (slot_->rendezvous) {
      rendezvous_ = std::make_unique<StandIn<RendezvousActor>>(system(), slot_->rendezvous);
    }
    run_all();
  }
  void let_go() {
    executors_.clear();
    devices_.clear();
    rendezvous_.reset();
    slot_.reset();
  }
  void done(int64_t id, size_t i) {
    tell(slot_->step, ExecutorDone{id, i});
    run_all();
  }
  /// Started by all that start it.
  int64_t begin() {
    const int64_t id = start(*slot_);
    run_all();
    return id;
  }
  int aborts(size_t i) { return executors_[i]->count<AbortExecutor>(); }
  const absl::Status& status() { return slot_->life.end().status; }
  StepReport inspect() {
    const auto reply = ask<InspectStepReply>(slot_->step, InspectStep{});
    run_all();
    return reply->value().report;
  }

  std::shared_ptr<StepSlot> slot_;
  std::vector<std::unique_ptr<StandIn<ExecutorActor>>> executors_;
  std::vector<std::unique_ptr<StandIn<DeviceActor>>> devices_;
  std::unique_ptr<StandIn<RendezvousActor>> rendezvous_;
};

TEST_F(StepActorTest, starts_each_executor_once_the_rendezvous_has_been_told) {
  const int64_t id = start(*slot_);
  EXPECT_TRUE(run_turn_of(slot_->step));
  EXPECT_TRUE(run_turn_of(slot_->rendezvous));
  ASSERT_EQ(rendezvous_->count<RendezvousBegin>(), 1);
  EXPECT_EQ(rendezvous_->got<RendezvousBegin>()[0].step_id, id);
  run_all();
  for (const auto& e : executors_) EXPECT_EQ(e->count<StartExecutor>(), 1);
}

TEST_F(StepActorTest, has_a_container_that_no_other_has) {
  const auto other = new_slot({{"x"}, {"across"}, {}});
  EXPECT_THAT(slot_->container, testing::StartsWith("__per_step_"));
  EXPECT_THAT(other->container, testing::StartsWith("__per_step_"));
  EXPECT_NE(slot_->container, other->container);
}

TEST_F(StepActorTest, is_through_when_every_executor_is) {
  const int64_t id = begin();
  done(id, 1);
  EXPECT_FALSE(slot_->finished);
  done(id, 0);
  EXPECT_TRUE(slot_->finished);
  EXPECT_TRUE(status().ok()) << status();
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(aborts(i), 0);
}

TEST_F(StepActorTest, counts_an_executor_once) {
  const int64_t id = begin();
  done(id, 1);
  done(id, 1);
  EXPECT_FALSE(slot_->finished);
  done(id, 0);
  EXPECT_TRUE(slot_->finished);
}

TEST_F(StepActorTest, hears_nothing_of_other_steps) {
  tell(slot_->step, ExecutorDone{0, 0});
  tell(slot_->step, RunStep{0});
  tell(slot_->step, CancelStep{0});
  const int64_t id = begin();
  for (const int64_t other : {id - 1, id + 1, int64_t{0}}) {
    done(other, 0);
    done(other, 1);
    tell(slot_->step, RunStep{other});
    tell(slot_->step, CancelStep{other});
  }
  run_all();
  EXPECT_FALSE(slot_->finished);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(aborts(i), 0);
    EXPECT_EQ(executors_[i]->count<StartExecutor>(), 1);
  }
  EXPECT_EQ(rendezvous_->count<RendezvousAbort>(), 0);
}

TEST_F(StepActorTest, begins_a_step_once) {
  const int64_t id = begin();
  tell(slot_->step, RunStep{id});
  done(id, 0);
  tell(slot_->step, RunStep{id});
  run_all();
  for (const auto& e : executors_) EXPECT_EQ(e->count<StartExecutor>(), 1);
  done(id, 1);
  EXPECT_TRUE(slot_->finished);
  tell(slot_->step, RunStep{id});
  run_all();
  for (const auto& e : executors_) EXPECT_EQ(e->count<StartExecutor>(), 1) << "it is over";
}

TEST_F(StepActorTest, stops_those_who_are_not_through_when_it_is_cancelled) {
  const int64_t id = begin();
  done(id, 0);
  slot_->life.cancel(id, absl::CancelledError("enough"));
  tell(slot_->step, CancelStep{id});
  run_all();
  EXPECT_EQ(aborts(0), 0);
  ASSERT_EQ(aborts(1), 1);
  EXPECT_EQ(executors_[1]->got<AbortExecutor>()[0].step_id, id);
  EXPECT_EQ(executors_[1]->got<AbortExecutor>()[0].status.message(), "enough");
  ASSERT_EQ(rendezvous_->count<RendezvousAbort>(), 1);
  EXPECT_EQ(rendezvous_->got<RendezvousAbort>()[0].step_id, id);
  for (const auto& d : devices_) EXPECT_EQ(d->count<DropKernels>(), 1);
  EXPECT_FALSE(slot_->finished) << "not before the executor is through";
  done(id, 1);
  EXPECT_TRUE(slot_->finished);
  EXPECT_EQ(status().code(), absl::StatusCode::kCancelled);
}

TEST_F(StepActorTest, has_nothing_to_stop_once_it_is_over) {
  const int64_t id = begin();
  done(id, 0);
  done(id, 1);
  tell(slot_->step, CancelStep{id});
  done(id, 1);
  EXPECT_EQ(aborts(0) + aborts(1) + rendezvous_->count<RendezvousAbort>(), 0);
  EXPECT_TRUE(status().ok());
}

TEST_F(StepActorTest, names_the_executor_that_died_and_stops_the_rest) {
  begin();
  kill(slot_->executors[1]);
  run_all();
  EXPECT_TRUE(slot_->finished);
  EXPECT_EQ(status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status().message(),
              HasSubstr("the executor of " + slot_->code->partitions[1]->device()->name()));
  EXPECT_EQ(aborts(0), 1);
  EXPECT_EQ(rendezvous_->count<RendezvousAbort>(), 1);
  EXPECT_TRUE(slot_->life.broken());
}

TEST_F(StepActorTest, names_the_rendezvous_or_the_device_that_died) {
  begin();
  kill(slot_->rendezvous);
  run_all();
  EXPECT_THAT(status().message(), HasSubstr("the rendezvous of step"));
  use_slot("across");
  // The slot has joined the real ones, which tell of their end.
  devices_.clear();
  begin();
  kill(slot_->devices[0]);
  run_all();
  EXPECT_THAT(status().message(), HasSubstr("the device " + slot_->code->partitions[0]->device()->name()));
  EXPECT_EQ(aborts(0) + aborts(1), 2);
}

TEST_F(StepActorTest, learns_that_a_device_died_before_it_heard_of_the_slot) {
  let_go();
  slot_ = new_slot({{"x"}, {"across"}, {}});
  const auto dead = spawn_device(system(), make_host_allocator());
  kill(dead);
  const DeviceActor real = std::exchange(slot_->devices[1], dead);
  run_all();
  EXPECT_TRUE(slot_->life.broken());
  slot_->devices[1] = real;
}

TEST_F(StepActorTest, leaves_its_devices_when_it_ends) {
  const std::vector<caf::actor_id> members = {slot_->executors[0].id(), slot_->executors[1].id()};
  kill(slot_->step);
  run_all();
  for (size_t i = 0; i < members.size(); ++i) {
    ASSERT_EQ(devices_[i]->count<LeaveDevice>(), 1);
    EXPECT_EQ(devices_[i]->got<LeaveDevice>()[0].executor, members[i]);
  }
}

TEST_F(StepActorTest, ends_a_step_once_however_many_die) {
  int ends = 0;
  const int64_t id = prepare(*slot_);
  slot_->when_finished = [&] { ++ends; };
  slot_->life.start();
  run_all();
  for (const auto& e : slot_->executors) kill(e);
  run_all();
  kill(slot_->step);
  done(id, 0);
  done(id, 1);
  EXPECT_EQ(ends, 1);
}

TEST_F(StepActorTest, begins_nothing_where_one_has_died_before) {
  kill(slot_->executors[0]);
  run_all();
  begin();
  EXPECT_TRUE(slot_->finished);
  EXPECT_TRUE(slot_->life.end().false_start) << "another slot may do";
  EXPECT_EQ(executors_[1]->count<StartExecutor>(), 0);
}

TEST_F(StepActorTest, ends_its_step_and_lets_go_of_its_slot_when_it_dies) {
  const int64_t id = begin();
  const auto before = slot_.use_count();
  kill(slot_->step);
  run_all();
  EXPECT_TRUE(slot_->finished);
  EXPECT_EQ(status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status().message(), HasSubstr(absl::StrCat("the actor of step ", id, " died")));
  EXPECT_TRUE(slot_->life.token().token().cancelled());
  EXPECT_EQ(aborts(0) + aborts(1), 2);
  EXPECT_EQ(slot_.use_count(), before - 1);
}

TEST_F(StepActorTest, that_is_dead_when_its_step_starts_never_began) {
  kill(slot_->step);
  run_all();
  start(*slot_);
  EXPECT_TRUE(slot_->finished) << "at once";
  EXPECT_TRUE(slot_->life.end().false_start);
}

TEST_F(StepActorTest, supervises_a_direct_run_that_it_did_not_begin) {
  use_slot("alone");
  ASSERT_TRUE(slot_->life.direct());
  const int64_t id = begin();
  EXPECT_EQ(executors_[0]->count<StartExecutor>(), 1);
  slot_->life.cancel(id, absl::CancelledError("enough"));
  tell(slot_->step, CancelStep{id});
  run_all();
  EXPECT_EQ(aborts(0), 1);
  kill(slot_->executors[0]);
  run_all();
  EXPECT_TRUE(slot_->finished);
  EXPECT_THAT(status().message(), HasSubstr("died"));
}

TEST_F(StepActorTest, reports_no_step_while_it_is_idle) {
  EXPECT_EQ(inspect().step_id, 0);
  const int64_t id = begin();
  done(id, 0);
  done(id, 1);
  EXPECT_EQ(inspect().step_id, 0);
  for (const auto& e : executors_) EXPECT_EQ(e->count<InspectExecutor>(), 0);
}

TEST_F(StepActorTest, reports_what_its_executors_say) {
  const int64_t id = begin();
  const auto reply = ask<InspectStepReply>(slot_->step, InspectStep{});
  run_all();
  executors_[1]->answer(FrontierReply{{"b (Sleep): running"}, {}});
  run_all();
  EXPECT_TRUE(reply->waits());
  executors_[0]->answer(FrontierReply{{"a (Recv): b:0"}, {}});
  run_all();
  const StepReport& report = reply->value().report;
  EXPECT_EQ(report.step_id, id);
  EXPECT_THAT(report.fetches, ElementsAre("across"));
  EXPECT_THAT(report.frontier, ElementsAre("b (Sleep): running", "a (Recv): b:0"));
}

TEST_F(StepActorTest, reports_without_an_executor_that_is_gone) {
  begin();
  kill(slot_->executors[0]);
  const auto reply = ask<InspectStepReply>(slot_->step, InspectStep{});
  EXPECT_TRUE(run_turn_of(slot_->step)) << "it does not know yet";
  run_all();
  executors_[1]->answer(FrontierReply{{"b (Sleep): running"}, {}});
  run_all();
  EXPECT_EQ(reply->times, 1);
  EXPECT_THAT(reply->value().report.frontier, ElementsAre("b (Sleep): running"));
}

TEST_F(StepActorTest, answers_those_who_inspect_it_when_it_dies) {
  begin();
  const auto waits = ask<InspectStepReply>(slot_->step, InspectStep{});
  run_all();
  kill(slot_->step);
  const auto late = ask<InspectStepReply>(slot_->step, InspectStep{});
  run_all();
  EXPECT_EQ(late->status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(waits->times, 1);
  EXPECT_FALSE(waits->status.ok());
}

}  // namespace
}  // namespace troupe::test
