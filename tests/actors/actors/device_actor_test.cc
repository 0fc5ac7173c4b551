// DEVICE: what it launches, takes back and counts; whom it asks what steps hold.
#include "actors/device_actor.h"

#include <gmock/gmock.h>

#include "actors/units/kernel_queue.h"
#include "devices/memory/host_allocator.h"
#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using testing::IsEmpty;

/// A DEVICE beside those of the runtime. The kernels that it gets are two that a step has launched (of TestSleep, which does not), whose
/// EXECUTOR waits for them: they are handed over by the test.
class DeviceActorTest : public ActorTest {
 protected:
  DeviceActorTest() {
    const int x = placeholder("x");
    const int a = add("a", "TestSleep", {{"micros", 0}}, {{x, 0}});
    const int b = add("b", "TestSleep", {{"micros", 1}}, {{x, 0}});
    add("sum", "TestAdd", {}, {{a, 0}, {b, 0}});
    open_session();
    device_ = spawn_device(system(), make_host_allocator());
  }
  void TearDown() override {
    kill(device_);
    ActorTest::TearDown();
  }

  /// A step that has two kernels for a device, which are here.
  struct Launch {
    std::shared_ptr<StepSlot> slot;
    std::unique_ptr<StandIn<DeviceActor>> old;
    LaunchKernels message;
  };
  Launch launch() {
    Launch l;
    l.slot = new_slot({{"x"}, {"sum"}, {}});
    l.old = std::make_unique<StandIn<DeviceActor>>(system(), l.slot->devices[0]);
    start(*l.slot);
    run_all();
    EXPECT_EQ(l.old->count<LaunchKernels>(), 1);
    l.message = l.old->got<LaunchKernels>().at(0);
    l.old->forget();
    EXPECT_EQ(l.message.tasks.size(), 2u);
    return l;
  }

  NamedPool* pool() { return runtime_->impl().default_pool.get(); }
  DeviceStatus status() {
    const auto reply = ask<DeviceStatus>(device_, DeviceStatusRequest{});
    run_messages();
    return reply->value();
  }

  DeviceActor device_;
};

TEST_F(DeviceActorTest, has_done_nothing_at_first) {
  const DeviceStatus s = status();
  EXPECT_EQ(s.batches, 0);
  EXPECT_EQ(s.kernels_launched, 0);
  EXPECT_EQ(s.kernels_waiting, 0);
  EXPECT_THAT(s.steps, IsEmpty());
}

TEST_F(DeviceActorTest, runs_the_kernels_itself_where_the_pool_has_no_threads) {
  Launch l = launch();
  NamedPool over(&system(), "over", 1);
  over.stop();
  l.message.pool = &over;
  tell(device_, l.message);
  EXPECT_FALSE(run_kernel());
  run_all();
  EXPECT_TRUE(l.slot->finished);
  EXPECT_EQ(fetched(*l.slot), 42);
}

TEST_F(DeviceActorTest, counts_batches_and_kernels) {
  Launch one = launch();
  Launch other = launch();
  tell(device_, one.message);
  tell(device_, other.message);
  tell(device_, LaunchKernels{{}, one.message.pool, nullptr, nullptr});
  run_all();
  const DeviceStatus s = status();
  EXPECT_EQ(s.batches, 3);
  EXPECT_EQ(s.kernels_launched, 4);
  EXPECT_EQ(s.kernels_waiting, 0);
}

TEST_F(DeviceActorTest, says_how_many_kernels_wait_for_a_thread) {
  Launch l = launch();
  tell(device_, l.message);
  EXPECT_EQ(status().kernels_waiting, 2);
  EXPECT_FALSE(l.slot->finished);
  run_all();
  EXPECT_EQ(status().kernels_waiting, 0);
  EXPECT_TRUE(l.slot->finished);
  EXPECT_EQ(fetched(*l.slot), 42);
}

TEST_F(DeviceActorTest, gives_back_what_a_cancelled_step_has_queued) {
  Launch one = launch();
  Launch other = launch();
  tell(device_, one.message);
  tell(device_, other.message);
  one.slot->life.cancel(0, absl::CancelledError("enough"));
  tell(device_, DropKernels{one.slot.get()});
  EXPECT_EQ(status().kernels_waiting, 2) << "the other step's";
  run_messages();
  EXPECT_TRUE(one.slot->finished);
  EXPECT_THAT(one.slot->life.end().status.message(), testing::HasSubstr("enough"));
  EXPECT_FALSE(other.slot->finished);
  run_all();
  EXPECT_EQ(fetched(*other.slot), 42);
}

TEST_F(DeviceActorTest, gives_nothing_back_of_a_step_that_goes_on) {
  Launch l = launch();
  tell(device_, l.message);
  tell(device_, DropKernels{l.slot.get()});
  tell(device_, DropKernels{nullptr});
  EXPECT_EQ(status().kernels_waiting, 2);
}

TEST_F(DeviceActorTest, gives_back_each_kernel_once) {
  Launch l = launch();
  l.slot->life.cancel(0, absl::CancelledError("enough"));
  tell(device_, DropKernels{l.slot.get()});
  tell(device_, l.message);
  EXPECT_EQ(status().kernels_waiting, 2) << "they came behind the cancel";
  tell(device_, DropKernels{l.slot.get()});
  tell(device_, DropKernels{l.slot.get()});
  run_messages();
  EXPECT_TRUE(l.slot->finished);
  EXPECT_EQ(status().kernels_waiting, 0);
  EXPECT_FALSE(run_kernel());
  EXPECT_EQ(l.slot->life.end().status.code(), absl::StatusCode::kCancelled);
}

TEST_F(DeviceActorTest, does_not_mind_a_step_that_it_does_not_know) {
  tell(device_, DropKernels{nullptr});
  EXPECT_EQ(status().batches, 0);
  EXPECT_TRUE(is_alive(device_));
}

TEST_F(DeviceActorTest, keeps_a_step_while_its_kernels_wait) {
  Launch l = launch();
  const auto before = l.slot.use_count();
  tell(device_, l.message);
  EXPECT_EQ(l.slot.use_count(), before + 2);
  l.slot->life.cancel(0, absl::CancelledError("enough"));
  tell(device_, DropKernels{l.slot.get()});
  EXPECT_EQ(l.slot.use_count(), before);
}

TEST_F(DeviceActorTest, leaves_what_waits_to_the_threads_when_it_dies) {
  Launch l = launch();
  tell(device_, l.message);
  kill(device_);
  EXPECT_FALSE(is_alive(device_)) << "who sends it a message resumes it";
  tell(device_, DropKernels{l.slot.get()});
  run_all();
  EXPECT_TRUE(l.slot->finished);
  EXPECT_EQ(fetched(*l.slot), 42);
}

TEST_F(DeviceActorTest, asks_those_who_run_on_it_what_they_hold) {
  Probe one(system()), other(system()), idle(system());
  for (const Probe* p : {&one, &other, &idle}) tell(device_, JoinDevice{p->actor().address()});
  const auto reply = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  run_all();
  EXPECT_EQ(one.count<InspectExecutor>(), 1);
  one.answer(FrontierReply{{}, {1, 5, 100}});
  idle.answer(FrontierReply{});
  run_all();
  EXPECT_TRUE(reply->waits());
  other.answer(FrontierReply{{}, {1, 6, 200}});
  run_all();
  ASSERT_EQ(reply->times, 1);
  ASSERT_EQ(reply->value().steps.size(), 2u) << "an EXECUTOR that runs nothing holds nothing";
  EXPECT_EQ(reply->value().steps[0].waiting_bytes, 100);
  EXPECT_EQ(reply->value().steps[1].step_id, 6);
}

TEST_F(DeviceActorTest, waits_twenty_milliseconds_for_one_that_is_inside_a_kernel) {
  Probe quick(system()), slow(system());
  for (const Probe* p : {&quick, &slow}) tell(device_, JoinDevice{p->actor().address()});
  const auto reply = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  run_all();
  quick.answer(FrontierReply{{}, {1, 5, 100}});
  advance(std::chrono::milliseconds(19));
  EXPECT_TRUE(reply->waits());
  advance(std::chrono::milliseconds(1));
  ASSERT_EQ(reply->times, 1);
  EXPECT_EQ(reply->value().steps.size(), 1u);
  slow.answer(FrontierReply{{}, {1, 6, 200}});
  run_all();
  EXPECT_EQ(reply->times, 1) << "a late answer is nobody's";
}

TEST_F(DeviceActorTest, does_not_wait_for_one_that_dies_meanwhile) {
  Probe doomed(system());
  tell(device_, JoinDevice{doomed.actor().address()});
  run_all();
  kill(doomed.actor());
  const auto reply = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  run_all();
  ASSERT_EQ(reply->times, 1);
  EXPECT_THAT(reply->value().steps, IsEmpty());
}

TEST_F(DeviceActorTest, forgets_those_that_are_gone) {
  {
    Probe gone(system());
    tell(device_, JoinDevice{gone.actor().address()});
    run_all();
  }
  run_all();
  const auto reply = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  run_all();
  EXPECT_EQ(reply->times, 1);
  EXPECT_FALSE(scheduler().has_pending_timeout());
}

TEST_F(DeviceActorTest, asks_a_member_once_and_none_that_has_left) {
  Probe stays(system()), left(system());
  for (const Probe* p : {&stays, &left, &stays}) tell(device_, JoinDevice{p->actor().address()});
  tell(device_, LeaveDevice{left.actor().id()});
  const auto reply = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  run_all();
  EXPECT_EQ(stays.count<InspectExecutor>(), 1);
  EXPECT_EQ(left.size(), 0u);
  stays.answer(FrontierReply{});
  run_all();
  EXPECT_EQ(reply->times, 1);
}

TEST_F(DeviceActorTest, answers_those_who_join_as_long_as_it_lives) {
  Probe executor(system());
  const auto joined = ask<>(device_, JoinDevice{executor.actor().address()});
  run_all();
  EXPECT_TRUE(joined->status.ok()) << joined->status;
  kill(device_);
  const auto late = ask<>(device_, JoinDevice{executor.actor().address()});
  run_all();
  EXPECT_EQ(late->status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(DeviceActorTest, tells_the_steps_of_its_members_that_it_ends) {
  const auto member = new_slot({{"x"}, {"sum"}, {}});
  const auto other = new_slot({{"x"}, {"sum"}, {}});
  for (const auto& slot : {member, other}) tell(device_, JoinDevice{slot->executors[0].address(), slot});
  tell(device_, LeaveDevice{other->executors[0].id()});
  kill(device_);
  run_all();
  EXPECT_TRUE(member->life.broken());
  EXPECT_FALSE(other->life.broken());
}

TEST_F(DeviceActorTest, tells_each_who_asks) {
  Probe executor(system());
  tell(device_, JoinDevice{executor.actor().address()});
  const auto first = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  const auto second = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  run_all();
  executor.answer(FrontierReply{{}, {1, 5, 100}});
  run_all();
  EXPECT_EQ(first->times, 1);
  EXPECT_TRUE(second->waits());
  executor.answer(FrontierReply{});
  run_all();
  EXPECT_EQ(second->times, 1);
  EXPECT_EQ(first->value().steps.size(), 1u);
  EXPECT_THAT(second->value().steps, IsEmpty());
}

TEST_F(DeviceActorTest, answers_those_who_wait_when_it_dies) {
  Probe executor(system());
  tell(device_, JoinDevice{executor.actor().address()});
  const auto waits = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  run_all();
  kill(device_);
  const auto late = ask<DeviceStatus>(device_, DeviceStatusRequest{});
  run_out();
  EXPECT_EQ(late->status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(waits->times, 1);
  EXPECT_FALSE(waits->status.ok());
}

}  // namespace
}  // namespace troupe::test
