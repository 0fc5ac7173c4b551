#include "graph/passes/common_subexpressions.h"

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"

namespace troupe {
namespace {

class CommonSubexpressions : public testing::Test {
 protected:
  PassStats merge(const std::vector<Out>& roots) {
    auto graph = b.build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    draft.graph = *std::move(graph);
    for (Out root : roots) draft.roots.push_back(root.node());
    auto stats = merge_common_subexpressions(&draft, consider);
    EXPECT_TRUE(stats.ok()) << stats.status();
    return *stats;
  }
  const Node& node(Out x) const { return draft.graph.node(x.node()); }

  GraphBuilder b;
  Draft draft;
  NodeFilter consider;
};

TEST_F(CommonSubexpressions, s324_s326_merges_equal_nodes_and_what_becomes_equal_by_it) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out one = b.add(b.mul(x, x), b.constant(1.0f));
  Out two = b.add(b.mul(x, x), b.constant(1.0f));
  Out pair = b.op("Sub", {one, two}, {}, "pair");
  PassStats stats = merge({pair});
  EXPECT_EQ(stats["merged"], 3) << "Mul, Const and AddV2";
  EXPECT_EQ(node(pair).inputs[0], node(pair).inputs[1]);
}

TEST_F(CommonSubexpressions, s334_s335_tells_apart_other_attrs_devices_and_values) {
  Out x = b.placeholder(DataType::kFloat, {-1, -1}, "x");
  Out plain = b.op("MatMul", {x, x});
  Out turned = b.op("MatMul", {x, x}, {{"transpose_a", true}});
  Out elsewhere;
  {
    auto on = b.device("/cpu:1");
    elsewhere = b.op("MatMul", {x, x});
  }
  Out one = b.constant(1.0f), minus = b.constant(-1.0f);
  EXPECT_EQ(merge({b.group({plain, turned, elsewhere, one, minus})})["merged"], 0);
}

TEST_F(CommonSubexpressions, s333_compares_all_of_a_constant) {
  std::vector<float> values(100, 1.0f);
  Out one = b.constant(Tensor::from<float>(Shape{100}, values));
  values.back() = 2.0f;
  Out other = b.constant(Tensor::from<float>(Shape{100}, values));
  Out same = b.constant(Tensor::from<float>(Shape{100}, values));
  EXPECT_EQ(merge({b.group({one, other, same})})["merged"], 1);
  EXPECT_FALSE(node(one).removed());
}

TEST_F(CommonSubexpressions, leaves_alone_what_is_fed) {
  Out x = b.placeholder(DataType::kFloat, {2}, "x"), y = b.placeholder(DataType::kFloat, {2}, "y");
  Out one = b.constant(Tensor::vector<float>({1, 2}));
  const AttrMap attrs{{"shape", PartialShape{2}}};
  Out p = b.op("PlaceholderWithDefault", {one}, attrs, "p");
  Out q = b.op("PlaceholderWithDefault", {one}, attrs, "q");
  EXPECT_EQ(merge({b.group({x, y, p, q})})["merged"], 0);
}

TEST_F(CommonSubexpressions, leaves_state_and_chance_alone) {
  Out shape = b.constant(Tensor::vector<int32_t>({2}));
  AttrMap attrs{{"dtype", DataType::kFloat}};
  Out first = b.op("RandomUniform", {shape}, attrs), second = b.op("RandomUniform", {shape}, attrs);
  Out v = b.op("VarHandleOp", {}, {{"dtype", DataType::kFloat}, {"shape", PartialShape()}});
  Out w = b.op("VarHandleOp", {}, {{"dtype", DataType::kFloat}, {"shape", PartialShape()}});
  EXPECT_EQ(merge({b.group({first, second, v, w})})["merged"], 0);
}

TEST_F(CommonSubexpressions, keeps_targets_and_moves_who_waits) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out kept = b.neg(x, "kept"), target = b.neg(x, "target"), gone = b.neg(x, "gone");
  Out waits = b.group({gone}, "waits");
  PassStats stats = merge({target, waits});
  EXPECT_EQ(stats["merged"], 1);
  EXPECT_FALSE(node(target).removed());
  EXPECT_THAT(node(waits).control_inputs, testing::ElementsAre(kept.node()));
}

TEST_F(CommonSubexpressions, s325_keeps_one_of_three) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), y = b.placeholder(DataType::kFloat, {}, "y");
  Out one = b.mul(x, y), two = b.mul(x, y), three = b.mul(x, y);
  Out user = b.op("AddN", {std::vector<Out>{one, two, three}});
  EXPECT_EQ(merge({user})["merged"], 2);
  EXPECT_THAT(node(user).inputs, testing::Each(one.endpoint()));
}

TEST_F(CommonSubexpressions, s327_takes_the_inputs_of_a_commutative_op_in_any_order) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), y = b.placeholder(DataType::kFloat, {}, "y");
  Out one = b.mul(x, y), other = b.mul(y, x), square = b.mul(x, x);
  Out pair = b.op("Sub", {one, other}), kept = b.identity(square);
  EXPECT_EQ(merge({pair, kept})["merged"], 1);
  EXPECT_EQ(node(pair).inputs[1], one.endpoint());
  EXPECT_THAT(node(one).inputs, testing::ElementsAre(x.endpoint(), y.endpoint())) << "as they were";
}

TEST_F(CommonSubexpressions, s328_leaves_nodes_that_it_is_not_to_consider) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out pair = b.op("Sub", {b.mul(x, x), b.mul(x, x)}), other = b.op("Sub", {b.neg(x), b.neg(x)});
  consider = [](const Node& n) { return !n.is("Mul"); };
  EXPECT_EQ(merge({pair, other})["merged"], 1);
  EXPECT_NE(node(pair).inputs[0], node(pair).inputs[1]);
  EXPECT_EQ(node(other).inputs[0], node(other).inputs[1]);
}

TEST_F(CommonSubexpressions, s329_keeps_the_order_of_inputs_that_matters) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), y = b.placeholder(DataType::kFloat, {}, "y");
  EXPECT_EQ(merge({b.group({b.op("Sub", {x, y}), b.op("Sub", {y, x})})})["merged"], 0);
}

TEST_F(CommonSubexpressions, s330_tells_apart_other_ops) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), y = b.placeholder(DataType::kFloat, {}, "y");
  EXPECT_EQ(merge({b.group({b.mul(x, y), b.add(x, y), b.op("Maximum", {x, y})})})["merged"], 0);
}

TEST_F(CommonSubexpressions, s331_s332_merges_nodes_of_equal_attrs_in_any_order) {
  Out x = b.placeholder(DataType::kFloat, {-1, -1}, "x");
  const std::vector<int64_t> numbers{1, 2};
  Out one = b.op("MatMul", {x, x}, {{"transpose_a", true}, {"_a", int64_t{1}}, {"_list", numbers}});
  Out two = b.op("MatMul", {x, x}, {{"_list", numbers}, {"_a", int64_t{1}}, {"transpose_a", true}});
  EXPECT_EQ(merge({b.group({one, two})})["merged"], 1);
}

TEST_F(CommonSubexpressions, s336_tells_apart_attrs_of_other_names_kinds_and_lengths) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  auto neg = [&](const AttrMap& attrs) { return b.op("Neg", {x}, attrs); };
  const std::vector<int64_t> one{1}, two{1, 1};
  EXPECT_EQ(merge({b.group({neg({}), neg({{"_a", int64_t{1}}}), neg({{"_b", int64_t{1}}}),
                            neg({{"_a", 1.0f}}), neg({{"_a", one}}), neg({{"_a", two}}),
                            neg({{"_a", int64_t{1}}, {"_b", int64_t{1}}})})})["merged"],
            0);
}

TEST_F(CommonSubexpressions, s337_tells_apart_other_inputs) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), y = b.placeholder(DataType::kFloat, {}, "y");
  Out pair = b.op("Unstage", {}, {{"dtypes", std::vector<DataType>{DataType::kFloat, DataType::kFloat}}});
  EXPECT_EQ(merge({b.group({b.neg(x), b.neg(y), b.neg(pair[0]), b.neg(pair[1])})})["merged"], 0);
}

TEST_F(CommonSubexpressions, s338_keeps_one_constant_of_each_type_shape_and_value) {
  const Tensor values[] = {Tensor::vector<float>({1}), Tensor::vector<double>({1}),
                           Tensor::from<float>(Shape{1, 1}, {1}), Tensor::vector<float>({2})};
  std::vector<Out> all;
  for (int i : {0, 1, 2, 3, 3, 2, 1, 0}) all.push_back(b.constant(values[i]));
  EXPECT_EQ(merge({b.group(all)})["merged"], 4);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(node(all[i]).removed()) << i;
}

}  // namespace
}  // namespace troupe
