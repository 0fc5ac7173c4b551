// REMOTE EXECUTOR: what it asks of the task that has its part, and what it makes of the answers.
#include <gmock/gmock.h>

#include "actors/remote_executor_actor.h"
#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A part on another task, which answers when the test says so. Its fetches are the second and the first of the signature.
class Part final : public RemotePart {
 public:
  Part() : RemotePart("/job:worker/replica:0/task:1", 3, {0}, {1, 0}) {}
  void run(Step step, std::function<void(End)> done) const override {
    steps.push_back(std::move(step));
    ends.push_back(std::move(done));
  }
  void cancel(int64_t step_id, const absl::Status& why) const override {
    cancelled.emplace_back(step_id, std::string(why.message()));
  }
  void inspect(int64_t step_id, std::function<void(std::vector<std::string>)> done) const override {
    inspected.push_back(step_id);
    reports.push_back(std::move(done));
  }

  mutable std::vector<Step> steps;
  mutable std::vector<std::function<void(End)>> ends;
  mutable std::vector<std::pair<int64_t, std::string>> cancelled;
  mutable std::vector<int64_t> inspected;
  mutable std::vector<std::function<void(std::vector<std::string>)>> reports;
};

/// A slot of that part alone, whose STEP is a probe.
class RemoteExecutorActorTest : public ActorTest {
 protected:
  RemoteExecutorActorTest() {
    placeholder("x");
    open_session();
    auto code = std::make_shared<SignatureCode>();
    code->feeds = {"x"};
    code->fetches = {"y", "z"};
    code->feed_types = {DataType::kFloat};
    code->fetch_types = {DataType::kFloat, DataType::kFloat};
    code->remotes = {part_};
    slot_ = new_slot(code);
    step_ = std::make_unique<StandIn<StepActor>>(system(), slot_->step);
  }
  void TearDown() override {
    step_.reset();
    slot_.reset();
    ActorTest::TearDown();
  }

  const ExecutorActor& executor() { return slot_->executors[0]; }
  int64_t begin(float feed = 21) {
    const int64_t id = prepare(*slot_, feed);
    tell(executor(), StartExecutor{});
    run_all();
    return id;
  }
  void abort(int64_t id, const std::string& why) {
    tell(executor(), AbortExecutor{id, absl::CancelledError(why)});
    run_all();
  }
  void end(size_t step, RemotePart::End how = {}) {
    part_->ends[step](std::move(how));
    run_all();
  }
  static RemotePart::End values(float y, float z) {
    RemotePart::End end;
    end.retvals = {Tensor::scalar<float>(z), Tensor::scalar<float>(y)};
    return end;
  }

  const std::shared_ptr<Part> part_ = std::make_shared<Part>();
  std::shared_ptr<StepSlot> slot_;
  std::unique_ptr<StandIn<StepActor>> step_;
};

TEST_F(RemoteExecutorActorTest, runs_the_part_and_tells_the_step_when_it_has_ended) {
  const int64_t id = begin(7);
  ASSERT_EQ(part_->steps.size(), 1u);
  EXPECT_EQ(part_->steps[0].id, slot_->shared_id());
  ASSERT_EQ(part_->steps[0].args.size(), 1u);
  EXPECT_EQ(part_->steps[0].args[0].value<float>(), 7);
  EXPECT_FALSE(part_->steps[0].collect_stats);
  EXPECT_EQ(step_->count<ExecutorDone>(), 0);
  end(0, values(1, 2));
  const auto done = step_->got<ExecutorDone>();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].step_id, id);
  EXPECT_EQ(done[0].index, 0u);
  EXPECT_EQ(slot_->retvals[0].value<float>(), 1);
  EXPECT_EQ(slot_->retvals[1].value<float>(), 2);
}

TEST_F(RemoteExecutorActorTest, runs_one_step_after_the_other) {
  for (size_t i = 0; i < 3; ++i) {
    begin(static_cast<float>(i));
    ASSERT_EQ(part_->steps.size(), i + 1);
    EXPECT_EQ(part_->steps[i].args[0].value<float>(), static_cast<float>(i));
    end(i, values(static_cast<float>(i), 0));
    EXPECT_EQ(step_->count<ExecutorDone>(), static_cast<int>(i) + 1);
    EXPECT_EQ(slot_->retvals[0].value<float>(), static_cast<float>(i));
  }
}

TEST_F(RemoteExecutorActorTest, keeps_how_the_part_failed) {
  begin();
  RemotePart::End lost;
  lost.status = absl::UnavailableError("/job:worker/task:1 is lost");
  end(0, lost);
  EXPECT_EQ(step_->count<ExecutorDone>(), 1);
  EXPECT_EQ(slot_->remote_ends[0].status, lost.status);
  EXPECT_FALSE(slot_->retvals[0].initialized());
}

TEST_F(RemoteExecutorActorTest, stops_the_part_and_says_why_where_the_task_does_not) {
  const int64_t id = begin();
  abort(id, "enough");
  EXPECT_THAT(part_->cancelled, ElementsAre(std::pair(slot_->shared_id(), std::string("enough"))));
  EXPECT_EQ(step_->count<ExecutorDone>(), 0) << "not before the part has ended";
  RemotePart::End stopped;
  stopped.status = absl::CancelledError("");
  end(0, stopped);
  EXPECT_EQ(slot_->remote_ends[0].status, absl::CancelledError("enough"));
}

TEST_F(RemoteExecutorActorTest, has_nothing_to_stop_before_a_step_or_between_or_of_another) {
  abort(0, "nothing");
  const int64_t id = begin();
  abort(id - 1, "an earlier one");
  abort(id + 1, "a later one");
  end(0);
  abort(id, "the last one");
  EXPECT_THAT(part_->cancelled, IsEmpty());
}

TEST_F(RemoteExecutorActorTest, takes_no_end_of_a_step_that_is_over) {
  begin();
  end(0, values(1, 2));
  begin();
  end(0, values(3, 4));
  EXPECT_EQ(step_->count<ExecutorDone>(), 1);
  end(1, values(5, 6));
  EXPECT_EQ(step_->count<ExecutorDone>(), 2);
  EXPECT_EQ(slot_->retvals[0].value<float>(), 5);
}

TEST_F(RemoteExecutorActorTest, asks_the_task_what_is_not_done) {
  const auto idle = ask<FrontierReply>(executor(), InspectExecutor{});
  run_all();
  EXPECT_THAT(idle->value().lines, IsEmpty());
  begin();
  const auto running = ask<FrontierReply>(executor(), InspectExecutor{});
  run_all();
  EXPECT_TRUE(running->waits());
  EXPECT_THAT(part_->inspected, ElementsAre(slot_->shared_id()));
  part_->reports[0]({"a (MatMul): running"});
  run_all();
  EXPECT_THAT(running->value().lines, ElementsAre("a (MatMul): running"));
  end(0);
}

TEST_F(RemoteExecutorActorTest, cannot_be_copied) {
  const int64_t id = begin();
  const auto copy = ask<ExecutorCopy>(executor(), CopyExecutor{id});
  run_all();
  EXPECT_TRUE(absl::IsUnimplemented(copy->status)) << copy->status;
  EXPECT_THAT(std::string(copy->status.message()), HasSubstr("/job:worker/replica:0/task:1"));
  end(0);
}

TEST_F(RemoteExecutorActorTest, that_is_killed_stops_its_part_and_answers_who_asked) {
  begin();
  const auto asked = ask<FrontierReply>(executor(), InspectExecutor{});
  run_all();
  const int64_t shared = slot_->shared_id();
  kill(executor());
  run_all();
  EXPECT_THAT(part_->cancelled, ElementsAre(std::pair(shared, std::string("the step's executor has ended"))));
  EXPECT_TRUE(absl::IsCancelled(asked->status)) << asked->status;
  end(0, values(1, 2));
  EXPECT_EQ(step_->count<ExecutorDone>(), 0) << "nobody is left to hear it";
}

TEST_F(RemoteExecutorActorTest, that_is_killed_between_steps_stops_nothing) {
  begin();
  end(0);
  kill(executor());
  run_all();
  EXPECT_THAT(part_->cancelled, IsEmpty());
}

}  // namespace
}  // namespace troupe::test
