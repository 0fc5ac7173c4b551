// Partitions that are cancelled, aborted and abandoned.

#include <utility>

#include "tests/actors/step/executor_state_fixture.h"

namespace troupe::test {
namespace {

TEST_F(ExecutorStateTest, drops_what_is_ready_when_cancelled_and_runs_the_next_step) {
  fetch(loop("f", {constant("zero", 0), 0}, 100'000'000), 0);
  compile();
  start();
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kYield);
  EXPECT_FALSE(state_->frontier(10).empty());
  token_.cancel(absl::CancelledError("enough"));
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(state_->status(), absl::CancelledError("enough"));
}

TEST_F(ExecutorStateTest, keeps_its_owner_until_asynchronous_kernels_have_answered) {
  const int c = constant("c", 1);
  const int a = add("a", "Later", {}, {{c, 0}});
  const int b = add("b", "Later", {}, {{c, 0}});
  fetch({a, 0}, 0);
  fetch({b, 0}, 1);
  auto p = CompiledPartition::compile(graph_, device_.get(), kernels_, nullptr);
  ASSERT_TRUE(p.ok()) << p.status();
  auto state = std::make_shared<ExecutorState>(*p, &host_);
  retvals_.assign(fetches_, Tensor());
  step_.device = device_.get();
  step_.cancellation = &token_;
  step_.retvals = retvals_;
  state->start(&step_, false);
  ASSERT_EQ(state->advance(), ExecutorState::Turn::kWaiting);
  auto out = std::exchange(Later::out, {});
  ASSERT_EQ(out.size(), 2u);
  out[0](absl::OkStatus());
  EXPECT_EQ(host_.wakes, 1);
  std::weak_ptr<ExecutorState> owner = state;
  ExecutorState* const dying = state.get();
  dying->abandon(std::move(state));
  EXPECT_FALSE(owner.expired());
  out[1](absl::CancelledError("the end"));
  EXPECT_TRUE(owner.expired());
  EXPECT_EQ(host_.wakes, 1) << "nobody is there to be woken";
}

TEST_F(ExecutorStateTest, takes_no_abort_without_a_reason) {
  fetch({add("up", "CountUp", {}, {{constant("zero", 0), 0}}), 0}, 0);
  compile();
  start();
  state_->abort(absl::OkStatus());
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(retvals_[0].value<int32_t>(), 1);
}

TEST_F(ExecutorStateTest, begins_as_many_iterations_after_steps_that_were_cancelled) {
  loop("f", {constant("zero", 0), 0}, 10, 3);
  add("busy", "Later", {}, {{graph_.find("f/switch")->id, 1}});
  compile();
  for (int step = 0; step < 4; ++step) {
    start();
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
    EXPECT_EQ(Later::out.size(), 3u) << "step " << step;
    token_.cancel(absl::CancelledError("enough"));
    for (auto& done : std::exchange(Later::out, {})) done(absl::CancelledError("enough"));
    EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
    token_.reset();
  }
}

TEST_F(ExecutorStateTest, keeps_no_value_of_a_step_that_was_cancelled) {
  const int busy = add("busy", "Later", {}, {{constant("zero", 0), 0}});
  add("half", "Plus", {}, {{add("give", "Give", {}, {}), 0}, {busy, 0}});
  compile();
  for (int step = 0; step < 3; ++step) {
    start();
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
    EXPECT_FALSE(given.unique());
    token_.cancel(absl::CancelledError("enough"));
    for (auto& done : std::exchange(Later::out, {})) done(absl::CancelledError("enough"));
    EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
    EXPECT_TRUE(given.unique()) << "step " << step;
    token_.reset();
  }
}

TEST_F(ExecutorStateTest, sends_nothing_out_once_it_is_cancelled) {
  const int zero = constant("zero", 0);
  for (const char* op : {"Trip", "Slow", "CountUp"}) add(op, op, {}, {{zero, 0}});
  add("other", "Slow", {}, {{zero, 0}});
  compile();
  tripped = &token_;
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_TRUE(host_.out.empty());
  EXPECT_EQ(state_->status(), absl::CancelledError("tripped"));
}

}  // namespace
}  // namespace troupe::test
