// Dataflow of one partition: loops, dead values, outputs, kernels elsewhere.

#include <algorithm>
#include <utility>

#include "actors/step/serves_turn.h"
#include "tests/actors/step/executor_state_fixture.h"

namespace troupe::test {
namespace {

TEST_F(ExecutorStateTest, runs_a_loop_to_its_limit_again_and_again) {
  fetch(loop("f", {constant("zero", 0), 0}, 1000), 0);
  compile();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(retvals_[0].value<int32_t>(), 1000);
  }
}

TEST_F(ExecutorStateTest, runs_loops_of_which_none_iterates) {
  fetch(loop("f", {constant("five", 5), 0}, 3), 0);
  compile();
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(retvals_[0].value<int32_t>(), 5);
}

TEST_F(ExecutorStateTest, parks_iterations_beyond_the_parallel_ones) {
  for (int parallel : {1, 2, 32}) {
    std::string frame = "f" + std::to_string(parallel);
    fetch(loop(frame, {constant(frame + "zero", 0), 0}, 50, parallel, "Slow"), fetches_);
  }
  compile();
  ASSERT_TRUE(run().ok());
  for (const Tensor& t : retvals_) EXPECT_EQ(t.value<int32_t>(), 50);
}

TEST_F(ExecutorStateTest, propagates_death_through_an_untaken_branch_and_a_loop_in_it) {
  int x = constant("x", 1);
  int no = truth("no", false);
  int sw = add("switch", "Switch", {{"T", DataType::kInt32}}, {{x, 0}, {no, 0}});
  int taken = add("taken", "CountUp", {}, {{sw, 0}});
  Endpoint untaken = loop("f", {sw, 1}, 10);
  int merge = add("merge", "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{taken, 0}, untaken});
  fetch({merge, 0}, 0);
  fetch({merge, 1}, 1);
  compile();
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(retvals_[0].value<int32_t>(), 2);
  EXPECT_EQ(retvals_[1].value<int32_t>(), 0) << "which input arrived";
}

TEST_F(ExecutorStateTest, sends_independent_expensive_kernels_out_and_a_lone_one_not) {
  int x = constant("x", 1);
  int a = add("a", "Slow", {}, {{x, 0}});
  int b = add("b", "Slow", {}, {{x, 0}});
  fetch({a, 0}, 0);
  fetch({b, 0}, 1);
  compile();
  start();
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  ASSERT_EQ(host_.out.size(), 2u);
  for (KernelTask* t : host_.out) {
    t->run();
    state_->complete(t);
  }
  EXPECT_EQ(host_.wakes, 1) << "completions share one wake";
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(retvals_[1].value<int32_t>(), 2);
}

TEST_F(ExecutorStateTest, sends_a_lone_expensive_kernel_out_where_a_turn_is_served) {
  fetch({add("a", "Slow", {}, {{constant("x", 1), 0}}), 0}, 0);
  compile();
  const ServesTurn serves;
  start();
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  ASSERT_EQ(host_.out.size(), 1u);
  host_.out[0]->run();
  state_->complete(host_.out[0]);
  EXPECT_EQ(state_->advance(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(retvals_[0].value<int32_t>(), 2);
}

TEST_F(ExecutorStateTest, a_kernel_that_was_cheap_is_sent_out_with_a_large_value_where_a_turn_is_served) {
  fetch({add("a", "Slow", {}, {{add("given", "Give", {}, {}), 0}}), 0}, 0);
  compile();
  given = Tensor::scalar<int32_t>(1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run().ok());
  host_.out.clear();
  {
    const ServesTurn serves;
    start();
    EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
    EXPECT_TRUE(host_.out.empty());
    given = Tensor(DataType::kInt32, Shape{20'000});
    std::fill_n(given.flat<int32_t>().data(), 20'000, 7);
    start();
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
    ASSERT_EQ(host_.out.size(), 1u);
    host_.out[0]->run();
    state_->complete(host_.out[0]);
    EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
    host_.out.clear();
  }
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished) << "others have the time";
  EXPECT_EQ(retvals_[0].value<int32_t>(), 8);
}

TEST_F(ExecutorStateTest, lets_a_kernel_leave_an_output_that_nobody_wants) {
  int h = add("halves", "Halves", {}, {{constant("seven", 7), 0}});
  fetch({h, 1}, 0);
  compile();
  ASSERT_TRUE(run().ok()) << state_->status();
  EXPECT_EQ(retvals_[0].value<int32_t>(), 7);
}

TEST_F(ExecutorStateTest, names_the_output_that_is_wanted_and_missing) {
  int h = add("halves", "Halves", {}, {{constant("seven", 7), 0}});
  fetch({h, 0}, 0);
  compile();
  const absl::Status end = run();
  EXPECT_EQ(end.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(end.message(), "Missing 0-th output from {{node halves}}");
}

TEST_F(ExecutorStateTest, s076_takes_one_value_twice) {
  Endpoint sum{constant("one", 1), 0};
  for (int i = 0; i < 10; ++i) sum = {add("sum" + std::to_string(i), "Plus", {}, {sum, sum}), 0};
  fetch(sum, 0);
  compile();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run().ok()) << state_->status();
    EXPECT_EQ(retvals_[0].value<int32_t>(), 1024);
  }
}

TEST_F(ExecutorStateTest, s083_refuses_a_reference_to_another_type_than_was_declared) {
  const int lend = add("lend", "Lend", {}, {});
  fetch({add("read", "Identity", {{"T", DataType::kInt32}}, {{lend, 0}}), 0}, 0);
  compile();
  lent = Tensor::scalar<double>(1);
  EXPECT_EQ(run(), absl::InternalError("Output 0 of type double_ref does not match declared output type "
                                       "int32_ref for node {{node lend}}"));
  lent = Tensor::scalar<int32_t>(7);
  ASSERT_TRUE(run().ok()) << state_->status();
  EXPECT_EQ(retvals_[0].value<int32_t>(), 7);
  // Nobody has assigned it: that is another error, and its type none.
  lent = Tensor();
  EXPECT_EQ(run().code(), absl::StatusCode::kFailedPrecondition) << state_->status();
}

TEST_F(ExecutorStateTest, s084_runs_a_constant_that_nobody_takes) {
  constant("seven", 7);
  compile();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(), absl::OkStatus());
}

TEST_F(ExecutorStateTest, kills_all_outputs_of_a_list_when_one_input_is_dead) {
  AttrMap t{{"T", DataType::kInt32}};
  int seven = constant("seven", 7);
  int sw = add("switch", "Switch", t, {{seven, 0}, {truth("yes", true), 0}});
  AttrMap types{{"T", std::vector<DataType>{DataType::kInt32, DataType::kInt32}}};
  int mixed = add("mixed", "IdentityN", types, {{sw, 0}, {seven, 0}});
  int alive = add("alive", "IdentityN", types, {{sw, 1}, {seven, 0}});
  AttrMap two{{"T", DataType::kInt32}, {"N", 2}};
  fetch({add("first", "Merge", two, {{mixed, 1}, {alive, 0}}), 1}, 0);
  fetch({mixed, 1}, 1);
  fetch({alive, 1}, 2);
  compile();
  ASSERT_TRUE(run().ok()) << state_->status();
  EXPECT_EQ(retvals_[0].value<int32_t>(), 1);
  EXPECT_FALSE(retvals_[1].initialized());
  EXPECT_EQ(retvals_[2].value<int32_t>(), 7);
}

TEST_F(ExecutorStateTest, begins_no_more_iterations_than_may_run_at_a_time) {
  // The counter runs ahead; a kernel of each iteration does not answer yet.
  loop("f", {constant("zero", 0), 0}, 10, 3);
  add("busy", "Later", {}, {{graph_.find("f/switch")->id, 1}});
  compile();
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  size_t answered = 0, begun = 0;
  std::vector<AsyncKernel::Done> out;
  for (int iteration = 0; iteration < 10; ++iteration) {
    for (auto& done : std::exchange(Later::out, {})) out.push_back(std::move(done));
    begun = out.size();
    EXPECT_EQ(begun, std::min<size_t>(answered + 3, 10));
    ASSERT_LT(answered, begun);
    out[answered++](absl::OkStatus());
    EXPECT_EQ(advance(), answered < 10 ? ExecutorState::Turn::kWaiting : ExecutorState::Turn::kFinished);
  }
}

TEST_F(ExecutorStateTest, takes_the_first_live_value_of_a_merge_and_no_other) {
  const int one = constant("one", 1), two = constant("two", 2);
  AttrMap pair{{"T", DataType::kInt32}, {"N", 2}};
  const int early = add("early", "Merge", pair, {{one, 0}, {two, 0}});
  const int late = add("late", "Merge", pair, {{add("up", "CountUp", {}, {{two, 0}}), 0}, {one, 0}});
  const int first = add("first", "NoOp", {}, {}, {});
  const int waits = add("waits", "Merge", pair, {{one, 0}, {two, 0}}, {first});
  for (int merge : {early, late, waits}) {
    fetch({merge, 0}, fetches_);
    fetch({merge, 1}, fetches_);
  }
  compile();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(retvals_[0].value<int32_t>(), 1);
    EXPECT_EQ(retvals_[1].value<int32_t>(), 0);
    EXPECT_EQ(retvals_[2].value<int32_t>(), 1);
    EXPECT_EQ(retvals_[3].value<int32_t>(), 1);
    EXPECT_EQ(retvals_[4].value<int32_t>(), 1);
    EXPECT_EQ(retvals_[5].value<int32_t>(), 0);
    EXPECT_EQ(state_->nodes_run(), 13) << "each node once";
  }
}

}  // namespace
}  // namespace troupe::test
