// Constants that their consumers hold from step to step, and the order that they carry.

#include "tests/actors/step/executor_state_fixture.h"

namespace troupe::test {
namespace {

TEST_F(ExecutorStateTest, binds_the_constants_of_a_loops_body_to_their_consumers) {
  // Two variables, as TensorFlow writes it: the constants of both updates wait for the first one's pivot.
  auto enter = [&](const std::string& name, int start) {
    return add(name, "Enter", {{"T", DataType::kInt32}, {"frame_name", "f"}},
               {{constant(name + "0", start), 0}});
  };
  const AttrMap t{{"T", DataType::kInt32}};
  int in_a = enter("a", 0), in_b = enter("b", 100);
  int merge_a = add("merge_a", "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{in_a, 0}, {in_a, 0}});
  int merge_b = add("merge_b", "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{in_b, 0}, {in_b, 0}});
  int go = add("go", "Below", {{"limit", 40}}, {{merge_a, 0}});
  int cond = add("cond", "LoopCond", {}, {{go, 0}});
  int switch_a = add("switch_a", "Switch", t, {{merge_a, 0}, {cond, 0}});
  int switch_b = add("switch_b", "Switch", t, {{merge_b, 0}, {cond, 0}});
  int pivot = add("pivot", "Identity", t, {{switch_a, 1}});
  int plus_a = add("plus_a", "Plus", {}, {{pivot, 0}, {constant("one", 1, {pivot}), 0}});
  int plus_b = add("plus_b", "Plus", {}, {{constant("ten", 10, {pivot}), 0}, {switch_b, 1}});
  graph_.node(merge_a).inputs[1] = {add("next_a", "NextIteration", t, {{plus_a, 0}}), 0};
  graph_.node(merge_b).inputs[1] = {add("next_b", "NextIteration", t, {{plus_b, 0}}), 0};
  fetch({add("out_a", "Exit", t, {{switch_a, 0}}), 0}, 0);
  fetch({add("out_b", "Exit", t, {{switch_b, 0}}), 0}, 1);
  compile();
  EXPECT_TRUE(is_bound("plus_a"));
  EXPECT_TRUE(is_bound("plus_b")) << "its value comes from a Switch by the same predicate";
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(retvals_[0].value<int32_t>(), 40);
    EXPECT_EQ(retvals_[1].value<int32_t>(), 500);
  }
  // 2 Merge, Below, LoopCond, 2 Switch in 41 iterations; pivot, 2 Plus, 2 NextIteration in 40; 4 nodes before the
  // loop and 4 after it. Not one Const in the loop.
  EXPECT_EQ(state_->nodes_run(), 6 * 41 + 5 * 40 + 8);
}

TEST_F(ExecutorStateTest, binds_a_branchs_constant_only_where_its_consumer_dies_with_it) {
  const AttrMap t{{"T", DataType::kInt32}};
  int x = add("x", "CountUp", {}, {{constant("zero", 0), 0}});
  int yes = truth("yes", true), no = truth("no", false);
  int on_no = add("on_no", "Switch", t, {{x, 0}, {no, 0}});
  int on_yes = add("on_yes", "Switch", t, {{x, 0}, {yes, 0}});
  int pivot = add("pivot", "Identity", t, {{on_no, 1}});  // dead
  int same = add("same", "Plus", {}, {{on_no, 1}, {constant("c1", 1, {pivot}), 0}});
  int other_side = add("other_side", "Plus", {}, {{on_no, 0}, {constant("c2", 2, {pivot}), 0}});
  int other_predicate = add("other_predicate", "Plus", {}, {{on_yes, 1}, {constant("c3", 3, {pivot}), 0}});
  int free = add("free", "Plus", {}, {{x, 0}, {constant("c4", 4, {pivot}), 0}});
  for (int dead : {same, other_side, other_predicate, free}) {
    const std::string name = graph_.node(dead).name;
    int merge = add("merge_" + name, "Merge", {{"T", DataType::kInt32}, {"N", 2}}, {{dead, 0}, {x, 0}});
    fetch({merge, 1}, fetches_);
  }
  compile();
  EXPECT_TRUE(is_bound("same"));
  EXPECT_FALSE(is_bound("other_side"));
  EXPECT_FALSE(is_bound("other_predicate"));
  EXPECT_FALSE(is_bound("free"));
  ASSERT_TRUE(run().ok());
  for (const Tensor& which : retvals_) EXPECT_EQ(which.value<int32_t>(), 1) << "the sum is dead";
}

TEST_F(ExecutorStateTest, keeps_the_order_that_a_constant_carries) {
  int x = constant("x", 1);
  int effect = add("effect", "CountUp", {}, {{x, 0}});
  int later =
      add("later", "Plus", {}, {{add("y", "CountUp", {}, {{x, 0}}), 0}, {constant("c", 1, {effect}), 0}});
  int ordered = add("ordered", "Plus", {}, {{effect, 0}, {constant("d", 1, {effect}), 0}});
  fetch({later, 0}, 0);
  fetch({ordered, 0}, 1);
  compile();
  EXPECT_FALSE(is_bound("later")) << "it would no longer wait for `effect`";
  EXPECT_TRUE(is_bound("ordered")) << "it waits for `effect` anyway";
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(retvals_[0].value<int32_t>(), 3);
  EXPECT_EQ(retvals_[1].value<int32_t>(), 3);
}

TEST_F(ExecutorStateTest, keeps_the_order_that_several_constants_carry) {
  int x = constant("x", 1);
  int effect = add("effect", "CountUp", {}, {{x, 0}});
  int before = add("before", "CountUp", {}, {{x, 0}});
  int both = add("both", "Plus", {}, {{constant("c", 1, {effect}), 0}, {constant("d", 2, {effect}), 0}});
  graph_.node(both).control_inputs.push_back(before);
  fetch({both, 0}, 0);
  compile();
  const CompiledPartition& p = state_->partition();
  for (int i = 0; i < p.num_nodes(); ++i) {
    if (p.info(i).name != "both") continue;
    EXPECT_EQ(p.node(i).bound_inputs, 1u) << "one must still wait for `effect`";
  }
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(retvals_[0].value<int32_t>(), 3);
}

}  // namespace
}  // namespace troupe::test
