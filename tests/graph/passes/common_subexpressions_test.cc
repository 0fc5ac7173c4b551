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
    auto stats = merge_common_subexpressions(&draft);
    EXPECT_TRUE(stats.ok()) << stats.status();
    return *stats;
  }
  const Node& node(Out x) const { return draft.graph.node(x.node()); }

  GraphBuilder b;
  Draft draft;
};

TEST_F(CommonSubexpressions, merges_equal_nodes_and_what_becomes_equal_by_it) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out one = b.add(b.mul(x, x), b.constant(1.0f));
  Out two = b.add(b.mul(x, x), b.constant(1.0f));
  Out pair = b.op("Sub", {one, two}, {}, "pair");
  PassStats stats = merge({pair});
  EXPECT_EQ(stats["merged"], 3) << "Mul, Const and AddV2";
  EXPECT_EQ(node(pair).inputs[0], node(pair).inputs[1]);
}

TEST_F(CommonSubexpressions, tells_apart_other_attrs_inputs_devices_and_values) {
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

TEST_F(CommonSubexpressions, compares_all_of_a_constant) {
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

}  // namespace
}  // namespace troupe
