#include "graph/passes/pass.h"

#include <gtest/gtest.h>

#include "graph/ir/graph_builder.h"

namespace troupe {
namespace {

TEST(EndpointMap, follows_chains_and_counts_what_it_changes) {
  GraphBuilder b;
  Out a = b.constant(1.0f, "a"), c = b.constant(2.0f, "c"), d = b.constant(3.0f, "d");
  Out sum = b.add(a, c, "sum"), other = b.add(d, d, "other");
  auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EndpointMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.apply(&*graph), 0);
  map.set(a.endpoint(), c.endpoint());
  map.set(c.endpoint(), d.endpoint());
  EXPECT_EQ(map.resolve(a.endpoint()), d.endpoint());
  EXPECT_EQ(map.resolve(a.endpoint()), d.endpoint()) << "again";
  EXPECT_EQ(map.resolve(d.endpoint()), d.endpoint());
  EXPECT_EQ(map.apply(&*graph), 2) << "both inputs of sum";
  EXPECT_EQ(graph->node(sum.node()).inputs[0], d.endpoint());
  EXPECT_EQ(graph->node(sum.node()).inputs[1], d.endpoint());
  EXPECT_EQ(graph->node(other.node()).inputs[0], d.endpoint());
  EXPECT_EQ(map.apply(&*graph), 0);
}

TEST(PassStats, says_what_was_counted) {
  GraphBuilder b;
  b.constant(1.0f);
  PassStats stats("some", b.graph());
  EXPECT_EQ(stats.done(b.graph()).to_string(), "some: 1 -> 1 nodes");
  stats.count("merged", 2).count("folded", 0);
  EXPECT_EQ(stats.to_string(), "some: 1 -> 1 nodes; merged 2, folded 0");
  EXPECT_EQ(stats["merged"], 2);
  EXPECT_EQ(stats["nothing"], 0);
}

TEST(ConstValue, is_that_of_a_const_alone) {
  GraphBuilder b;
  const AttrMap attrs{{"dtype", DataType::kFloat}, {"value", Tensor::scalar(1.0f)}};
  Out sound = b.op("Const", {}, attrs), other = b.op("HostConst", {}, attrs);
  auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_NE(const_value(graph->node(sound.node())), nullptr);
  EXPECT_EQ(const_value(graph->node(other.node())), nullptr);
  graph->node(sound.node()).defect = absl::InvalidArgumentError("something is wrong with it");
  EXPECT_EQ(const_value(graph->node(sound.node())), nullptr);
}

TEST(MakeConst, keeps_what_the_node_waits_for_and_its_class) {
  GraphBuilder b;
  Out gate = b.op("NoOp", {}, {}, "gate");
  Out x = b.constant(1.0f);
  Out y;
  {
    auto after = b.control({gate});
    y = b.op("Neg", {x}, {{"_class", std::vector<std::string>{"loc:@gate"}}}, "y");
  }
  auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  Node& node = graph->node(y.node());
  make_const(&node, graph->find_op("Const"), Tensor::scalar<int32_t>(7));
  EXPECT_TRUE(node.is("Const"));
  EXPECT_TRUE(node.inputs.empty());
  EXPECT_EQ(node.control_inputs.size(), 1u);
  EXPECT_NE(node.attrs.find("_class"), nullptr);
  ASSERT_NE(const_value(node), nullptr);
  EXPECT_EQ(const_value(node)->value<int32_t>(), 7);
  EXPECT_EQ(node.output_types[0], DataType::kInt32);
}

}  // namespace
}  // namespace troupe
