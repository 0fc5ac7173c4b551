#include "graph/passes/fuse_elementwise.h"

#include "tests/graph/passes/rewriting.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class FuseElementwise : public Rewriting {
 protected:
  int64_t run(const std::vector<Out>& roots) { return rewrite(fuse_elementwise, roots)["fused"]; }
  std::vector<std::string> ops(Out x) const {
    return node(x).attrs.get_or("ops", std::vector<std::string>());
  }
  std::vector<int64_t> operands(Out x) const {
    return node(x).attrs.get_or("operands", std::vector<int64_t>());
  }
};

TEST_F(FuseElementwise, makes_one_node_of_a_tree) {
  Out x = input("x"), c = b.constant(2.0f, "c");
  Out y = b.op("Sub", {b.op("Exp", {b.mul(x, c)}), b.op("Tanh", {x})}, {{"_mine", int64_t{7}}}, "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(now(y), "_FusedElementwise(x, c)");
  EXPECT_THAT(ops(y), ElementsAre("Mul", "Exp", "Tanh", "Sub"));
  EXPECT_THAT(operands(y), ElementsAre(0, 1, 2, -1, 0, -1, 3, 4)) << "inputs 0 and 1, then the results";
  EXPECT_EQ(node(y).name, "y");
  EXPECT_THAT(node(y).attrs.get_or("names", std::vector<std::string>()),
              ElementsAre("Mul", "Exp", "Tanh", "y"));
  EXPECT_EQ(node(y).attrs.get_or<int64_t>("_mine", 0), 7);
  EXPECT_EQ(draft.graph.num_nodes(), 3);
}

TEST_F(FuseElementwise, computes_once_what_one_node_takes_twice) {
  Out x = input("x"), e = b.op("Exp", {x}), y = b.mul(e, e, "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_THAT(ops(y), ElementsAre("Exp", "Mul"));
  EXPECT_THAT(operands(y), ElementsAre(0, -1, 1, 1));
}

TEST_F(FuseElementwise, stops_at_what_several_use) {
  Out x = input("x"), shared = b.op("Exp", {b.neg(x)}, {}, "shared");
  Out one = b.op("Sqrt", {b.neg(shared)}, {}, "one"), other = b.op("Abs", {shared}, {}, "other");
  EXPECT_EQ(run({one, other}), 2);
  EXPECT_EQ(now(shared), "_FusedElementwise(x)");
  EXPECT_EQ(now(one), "_FusedElementwise(shared)");
  EXPECT_EQ(now(other), "Abs(shared)");
}

TEST_F(FuseElementwise, leaves_single_operations_and_those_of_other_kinds) {
  Out x = input("x"), sum = b.op("Sum", {b.neg(x), b.constant<int32_t>(0)});
  Out matrix = b.matmul(b.op("Exp", {sum}), x);
  EXPECT_EQ(run({matrix}), 0);
}

TEST_F(FuseElementwise, leaves_what_is_fetched_waited_for_or_must_survive) {
  Out x = input("x"), fetched = b.neg(x), waited = b.neg(x), root = b.neg(x);
  Out retval = b.op("_Retval", {fetched}, {{"index", int64_t{0}}}), after = b.group({waited}, "after");
  auto abs = [&](Out y) { return b.op("Abs", {y}); };
  EXPECT_EQ(run({abs(fetched), abs(waited), abs(root), retval, after, root}), 0);
}

TEST_F(FuseElementwise, leaves_other_types_and_fuses_doubles) {
  auto pair = [&](DataType type) { return b.op("Square", {b.neg(input("x", type))}); };
  Out doubles = pair(DataType::kDouble);
  EXPECT_EQ(run({doubles, pair(DataType::kInt32), pair(DataType::kHalf), pair(DataType::kComplex64)}), 1);
  EXPECT_TRUE(node(doubles).is("_FusedElementwise"));
}

TEST_F(FuseElementwise, leaves_what_is_on_several_devices) {
  Out there = b.neg(input("x")), here = b.op("Exp", {there});
  elsewhere = {there};
  EXPECT_EQ(run({here}), 0);
}

TEST_F(FuseElementwise, leaves_what_its_device_has_no_kernel_for) {
  devices.without = "_FusedElementwise";
  Out y = b.op("Exp", {b.neg(input("x"), "minus")}, {}, "y");
  EXPECT_EQ(run({y}), 0);
  EXPECT_EQ(now(y), "Exp(minus)");
}

TEST_F(FuseElementwise, leaves_what_reads_a_reference) {
  auto v = b.ref_variable(Tensor::scalar(1.0f), "v");
  EXPECT_EQ(run({b.op("Exp", {b.neg(v.handle)})}), 0) << "its value may change before the last node runs";
}

TEST_F(FuseElementwise, leaves_nodes_that_it_is_not_to_consider) {
  consider = [](const Node& n) { return !n.is("Neg"); };
  EXPECT_EQ(run({b.op("Exp", {b.neg(input("x"))})}), 0);
}

TEST_F(FuseElementwise, waits_for_all_that_was_waited_for) {
  Out x = input("x"), first = b.group({}, "first"), last = b.group({}, "last"), inner, y;
  {
    auto waits = b.control({first});
    inner = b.neg(x);
  }
  {
    auto waits = b.control({first, last});
    y = b.op("Exp", {inner});
  }
  EXPECT_EQ(run({y}), 1);
  EXPECT_THAT(waits(y), UnorderedElementsAre("first", "last"));
}

TEST_F(FuseElementwise, cuts_long_chains) {
  Out z = input("x");
  for (int i = 0; i < 2 * kMostFusedSteps + 1; ++i) z = b.neg(z);
  EXPECT_EQ(run({z}), 2) << "and one is left over";
  EXPECT_THAT(ops(z), testing::SizeIs(kMostFusedSteps));
}

TEST_F(FuseElementwise, fuses_inside_of_loops) {
  Out n = b.constant(0.0f), limit = b.constant(3.0f);
  auto out = b.while_loop(
      {n}, [&](const std::vector<Out>& v) { return b.less(v[0], limit); },
      [&](const std::vector<Out>& v) {
        return std::vector<Out>{b.add(b.op("Exp", {v[0]}), b.constant(1.0f), "next")};
      });
  EXPECT_EQ(run({out[0]}), 1);
}

}  // namespace
}  // namespace troupe
