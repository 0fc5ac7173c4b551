#include "graph/ir/algorithm.h"

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>

#include "graph/ir/dot.h"
#include "graph/ir/graph_builder.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Nodes of NoOp that wait for others; ids by position.
Graph waits(const std::vector<std::vector<int>>& controls) {
  Graph graph;
  for (size_t i = 0; i < controls.size(); ++i) {
    EXPECT_TRUE(graph.add_node("n" + std::to_string(i), "NoOp", {}, {}).ok());
  }
  for (size_t i = 0; i < controls.size(); ++i) {
    for (int c : controls[i]) graph.add_control_input(static_cast<int>(i), c);
  }
  return graph;
}

TEST(Algorithm, orders_producers_first) {
  EXPECT_THAT(*topological_order(waits({{2}, {}, {1}})), ElementsAre(1, 2, 0));
  EXPECT_THAT(*topological_order(waits({{}, {0}, {1}})), ElementsAre(0, 1, 2));
}

TEST(Algorithm, counts_and_shows_cycles) {
  Graph graph = waits({{2}, {0}, {1}, {0}, {}});
  EXPECT_EQ(topological_order(graph).status().message(), "4 nodes in a cycle");
  EXPECT_EQ(count_cyclic_nodes(graph), 4);
  std::vector<int> cycle = find_cycle(graph);
  ASSERT_EQ(cycle.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(graph.node(cycle[(i + 1) % 3]).control_inputs, ElementsAre(cycle[i]));
  }
  EXPECT_THAT(find_cycle(waits({{1}, {}})), IsEmpty());
}

TEST(Algorithm, does_not_count_the_back_edges_of_loops) {
  GraphBuilder b;
  auto out = b.while_loop(
      {b.constant(0)}, [&](auto& v) { return b.less(v[0], b.constant(9)); },
      [&](auto& v) { return std::vector<Out>{b.add(v[0], b.constant(1))}; });
  Graph graph = *b.build();
  EXPECT_TRUE(topological_order(graph).ok());
  EXPECT_THAT(find_cycle(graph), IsEmpty());
  int exit = out[0].node();
  std::vector<bool> needed = reverse_reachable(graph, std::span(&exit, 1));
  EXPECT_TRUE(needed[graph.find("while/AddV2")->id]);
}

TEST(Algorithm, finds_what_is_reached) {
  Graph graph = waits({{}, {0}, {1}, {}});
  int roots[] = {1};
  EXPECT_THAT(reverse_reachable(graph, roots), ElementsAre(true, true, false, false));
  EXPECT_THAT(reachable(graph, ConsumerIndex(graph), roots), ElementsAre(false, true, true, false));
}

TEST(Graph, forgets_the_newest_nodes) {
  Graph graph = waits({{}, {0}, {1}});
  graph.truncate(1);
  EXPECT_EQ(graph.num_ids(), 1);
  EXPECT_EQ(graph.num_nodes(), 1);
  EXPECT_EQ(graph.find("n2"), nullptr);
  EXPECT_TRUE(graph.add_node("n2", "NoOp", {}, {}).ok());
}

TEST(Graph, renumbers_when_compacted) {
  Graph graph = waits({{}, {}, {1}});
  graph.remove_node(0);
  EXPECT_THAT(graph.compact(), ElementsAre(-1, 0, 1));
  EXPECT_THAT(graph.find("n2")->control_inputs, ElementsAre(0));
  EXPECT_EQ(graph.find("n0"), nullptr);
}

TEST(Graph, clones_share_nothing) {
  Graph graph = waits({{}, {0}});
  Graph copy = graph.clone();
  copy.remove_node(1);
  EXPECT_NE(graph.find("n1"), nullptr);
  EXPECT_EQ(copy.find("n1"), nullptr);
}

TEST(Dot, draws_nodes_edges_and_devices) {
  GraphBuilder b;
  Out x = b.constant(1.0f, "x");
  auto on = b.device("/cpu:1");
  Out y = b.neg(x, "y\"");
  b.group({y}, "done");
  Graph graph = *b.build();
  std::string dot = to_dot(graph, {.types = true});
  EXPECT_THAT(dot, HasSubstr("n0 [label=\"x\\nConst\", style=rounded];"));
  EXPECT_THAT(dot, HasSubstr("label=\"/cpu:1\";"));
  EXPECT_THAT(dot, HasSubstr("label=\"y\\\"\\nNeg\""));
  EXPECT_THAT(dot, HasSubstr("n0 -> n1 [label=\"float\"];"));
  EXPECT_THAT(dot, HasSubstr("n1 -> n2 [style=dashed];"));
  EXPECT_THAT(to_dot(graph, {.max_nodes = 1}), HasSubstr("only the first 1 nodes are shown"));
}

TEST(Graph, keeps_each_control_input_once_however_many_there_are) {
  for (int n : {3, 40}) {
    Graph graph;
    std::vector<int> twice;
    for (int i = 0; i < n; ++i) twice.push_back((*graph.add_node(absl::StrCat("n", i), "NoOp", {}, {}))->id);
    twice.insert(twice.end(), twice.begin(), twice.end());
    auto last = graph.add_node("last", "NoOp", {}, {}, twice);
    ASSERT_TRUE(last.ok()) << last.status();
    EXPECT_EQ((*last)->control_inputs.size(), static_cast<size_t>(n));
    graph.add_control_inputs((*last)->id, twice);
    EXPECT_EQ((*last)->control_inputs.size(), static_cast<size_t>(n));
  }
}

}  // namespace
}  // namespace troupe
