#include "graph/passes/take_known_branches.h"

#include "graph/passes/prune.h"
#include "tests/graph/passes/rewriting.h"

namespace troupe {
namespace {

using ::testing::UnorderedElementsAre;

class TakeKnownBranches : public Rewriting {
 protected:
  int64_t run(const std::vector<Out>& roots) { return rewrite(take_known_branches, roots)["taken"]; }
  Out merge(const std::vector<Out>& sides, const std::string& name = "merge") {
    return b.op("Merge", {sides}, {}, name);
  }
};

TEST_F(TakeKnownBranches, leave_one_side_of_a_conditional) {
  Out x = input("x"), yes = b.constant(true, "yes");
  Out sides = b.op("Switch", {x, yes}, {}, "sides");
  Out not_taken = b.neg(sides[0], "not_taken"), taken = b.op("Exp", {sides[1]}, {}, "taken");
  Out both = merge({not_taken, taken}), y = b.identity(both, "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(now(both), "Identity(taken)");
  EXPECT_EQ(now(taken), "Exp(sides/taken)");
  prune(&draft);
  EXPECT_EQ(now(not_taken), "gone");
  EXPECT_EQ(now(sides), "gone");
  EXPECT_EQ(draft.graph.node(node(taken).inputs[0].node).inputs[0], x.endpoint());
}

TEST_F(TakeKnownBranches, know_the_other_side_and_many) {
  Out x = input("x"), no = b.op("Switch", {x, b.constant(false)}, {}, "no");
  Out first = merge({b.neg(no[0], "first"), b.op("Exp", {no[1]})}, "merge_no");
  auto of = [&](int32_t branch, const std::string& name) {
    Out n = b.op("_SwitchN", {x, b.constant(branch)}, {{"num_outs", int64_t{3}}}, name);
    return merge({b.neg(n[0], name + "_0"), b.neg(n[1], name + "_1"), b.neg(n[2], name + "_2")},
                 "merge_" + name);
  };
  Out second = of(1, "second"), beyond = of(7, "beyond"), below = of(-1, "below");
  EXPECT_EQ(run({first, second, beyond, below}), 4);
  EXPECT_EQ(now(first), "Identity(first)");
  EXPECT_EQ(now(second), "Identity(second_1)");
  EXPECT_EQ(now(beyond), "Identity(beyond_2)");
  EXPECT_EQ(now(below), "Identity(below_2)");
}

TEST_F(TakeKnownBranches, leave_what_is_decided_in_the_step) {
  Out x = input("x"), p = input("p", DataType::kBool), sides = b.op("Switch", {x, p}, {}, "sides");
  EXPECT_EQ(run({merge({b.neg(sides[0]), b.op("Exp", {sides[1]})})}), 0);
}

TEST_F(TakeKnownBranches, see_that_what_waits_for_a_dead_node_is_dead) {
  Out x = input("x"), sides = b.op("Switch", {b.constant(true), b.constant(true)}, {}, "sides");
  Out pivot = b.identity(sides[0], "pivot"), other = b.identity(sides[1], "other"), dead, alive;
  {
    auto waits = b.control({pivot});
    dead = b.constant(1.0f, "dead");
  }
  {
    auto waits = b.control({other});
    alive = b.neg(x, "alive");
  }
  Out both = merge({dead, alive});
  EXPECT_EQ(run({both}), 1);
  EXPECT_EQ(now(both), "Identity(alive)");
  EXPECT_THAT(waits(alive), UnorderedElementsAre("other"));
}

TEST_F(TakeKnownBranches, keep_what_waits_for_the_predicate_and_the_switch) {
  Out x = input("x"), first = b.group({}, "first"), second = b.group({}, "second"), yes, sides;
  {
    auto waits = b.control({first});
    yes = b.constant(true);
  }
  {
    auto waits = b.control({second});
    sides = b.op("Switch", {x, yes}, {}, "sides");
  }
  Out y = b.neg(sides[1], "y");
  run({y});
  const Node* past = draft.graph.find("sides/taken");
  ASSERT_NE(past, nullptr);
  EXPECT_THAT(past->control_inputs, UnorderedElementsAre(first.node(), second.node()));
  EXPECT_EQ(past->device, 0);
}

TEST_F(TakeKnownBranches, leave_merges_of_which_somebody_asks_which_side_came) {
  Out x = input("x"), sides = b.op("Switch", {x, b.constant(true)}, {}, "sides");
  Out both = merge({sides[0], sides[1]}), which = b.identity(both[1]);
  EXPECT_EQ(run({both, which}), 0);
  EXPECT_TRUE(node(both).is("Merge"));
}

TEST_F(TakeKnownBranches, keep_dead_what_must_survive) {
  Out x = input("x"), sides = b.op("Switch", {x, b.constant(true)}, {}, "sides");
  Out effect = b.neg(sides[0], "effect"), y = b.neg(sides[1], "y");
  run({effect, y});
  prune(&draft);
  EXPECT_EQ(now(effect), "Neg(sides)");
  EXPECT_EQ(node(effect).inputs[0].slot, 0) << "the side that never comes alive";
}

TEST_F(TakeKnownBranches, leave_loops_as_they_are) {
  Out limit = b.constant(3.0f);
  auto out = b.while_loop(
      {b.constant(0.0f)}, [&](const std::vector<Out>& v) { return b.less(v[0], limit); },
      [&](const std::vector<Out>& v) { return std::vector<Out>{b.add(v[0], b.constant(1.0f))}; });
  Out y = b.neg(out[0], "y");
  EXPECT_EQ(run({y}), 0);
}

TEST_F(TakeKnownBranches, see_that_a_loop_without_a_start_is_dead) {
  Out x = input("x"), sides = b.op("Switch", {x, b.constant(true)}, {}, "sides"), limit = b.constant(3.0f);
  auto loop = b.while_loop(
      {sides[0]}, [&](const std::vector<Out>& v) { return b.less(v[0], limit); },
      [&](const std::vector<Out>& v) { return std::vector<Out>{b.add(v[0], b.constant(1.0f))}; });
  Out both = merge({loop[0], b.neg(sides[1], "taken")});
  // The second result keeps the other side, and with it the loop.
  Out asked = merge({loop[0], b.neg(sides[1])}), which = b.identity(asked[1]);
  EXPECT_EQ(run({both, which}), 1);
  EXPECT_EQ(now(both), "Identity(taken)");
  int merges = 0;
  for (int i = 0; i < draft.graph.num_ids(); ++i) merges += draft.graph.node(i).is("Merge") ? 1 : 0;
  EXPECT_EQ(merges, 2) << "that of the loop, and the one that is asked";
}

TEST_F(TakeKnownBranches, leave_nodes_that_they_are_not_to_consider) {
  consider = [](const Node& n) { return !n.is("Switch"); };
  Out x = input("x"), sides = b.op("Switch", {x, b.constant(true)}, {}, "sides");
  EXPECT_EQ(run({merge({sides[0], sides[1]})}), 0);
}

TEST_F(TakeKnownBranches, leave_predicates_that_are_none) {
  Out x = input("x"), many = b.constant(Tensor::vector<bool>({true, true}));
  Out sides = b.op("Switch", {x, many}, {}, "sides");
  EXPECT_EQ(run({merge({sides[0], sides[1]})}), 0) << "its step says what is wrong";
}

}  // namespace
}  // namespace troupe
