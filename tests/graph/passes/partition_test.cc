#include "graph/passes/partition.h"

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"

namespace troupe {
namespace {

class TwoDevices final : public DeviceCatalog {
 public:
  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override { return 0; }
  absl::StatusOr<Support> kernel_support(const OpDef&, const AttrMap&, const std::string&) const override {
    return Support{true, 0};
  }
  std::string kernels_of(const std::string&) const override { return ""; }

 private:
  std::vector<Entry> entries_{{"/job:localhost/replica:0/task:0/device:CPU:0", "CPU", 7},
                              {"/job:localhost/replica:0/task:0/device:CPU:1", "CPU", 8}};
};

int count(const Graph& graph, const std::string& op) {
  int n = 0;
  for (int i = 0; i < graph.num_ids(); ++i) n += graph.node(i).is(op);
  return n;
}

/// Nodes whose name starts with "there" on the second device, all others on the first.
absl::StatusOr<std::vector<PlanPartition>> cut(GraphBuilder& b) {
  auto graph = b.build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  Draft draft;
  draft.graph = *std::move(graph);
  for (int i = 0; i < draft.graph.num_ids(); ++i) {
    Node& n = draft.graph.node(i);
    n.device = n.name.find("there") == std::string::npos ? 0 : 1;
  }
  return partition(TwoDevices(), std::move(draft));
}

TEST(Partition, sends_an_output_once_to_all_its_consumers_there) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.neg(x, "there_a");
  b.neg(x, "there_b");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ(count((*parts)[0].graph, "_Send"), 1);
  EXPECT_EQ(count((*parts)[1].graph, "_Recv"), 1);
}

TEST(Partition, leaves_a_graph_of_one_device_whole) {
  GraphBuilder b;
  b.neg(b.placeholder(DataType::kFloat, {}, "there_x"), "there_y");
  auto there = cut(b);
  ASSERT_TRUE(there.ok()) << there.status();
  ASSERT_EQ(there->size(), 1u);
  EXPECT_EQ((*there)[0].device, 1);
  GraphBuilder nothing;
  auto empty = cut(nothing);
  ASSERT_TRUE(empty.ok()) << empty.status();
  ASSERT_EQ(empty->size(), 1u);
  EXPECT_EQ((*empty)[0].device, 0) << "the client's";
}

TEST(Partition, carries_control_edges_in_one_pair_too) {
  GraphBuilder b;
  Out first = b.op("NoOp", {}, {}, "first");
  auto after = b.control({first});
  b.op("NoOp", {}, {}, "there_a");
  b.op("NoOp", {}, {}, "there_b");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_EQ(count((*parts)[0].graph, "_Send"), 1);
  EXPECT_EQ(count((*parts)[1].graph, "_Recv"), 1);
}

TEST(Partition, gives_a_device_that_a_loop_visits_a_loop_of_its_own) {
  GraphBuilder b;
  Out limit = b.placeholder(DataType::kFloat, {}, "limit");
  std::vector<Out> end = b.while_loop(
      {b.constant(0.0f)}, [&](const std::vector<Out>& v) { return b.less(v[0], limit); },
      [&](const std::vector<Out>& v) { return std::vector<Out>{b.add(v[0], v[0], "there_twice")}; });
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  const Graph& there = (*parts)[1].graph;
  for (const char* op : {"Enter", "Merge", "Switch", "NextIteration"}) EXPECT_EQ(count(there, op), 1) << op;
  for (int i = 0; i < there.num_ids(); ++i) {
    if (!there.node(i).is("_Recv")) continue;
    EXPECT_EQ(there.node(i).control_inputs.size(), 1u) << there.node(i).name << " waits for the loop";
  }
}

TEST(Partition, leaves_a_loop_that_stays_at_home_alone) {
  GraphBuilder b;
  std::vector<Out> end = b.while_loop(
      {b.constant(0.0f)}, [&](const std::vector<Out>& v) { return b.less(v[0], b.constant(8.0f)); },
      [&](const std::vector<Out>& v) { return std::vector<Out>{b.add(v[0], b.constant(1.0f))}; });
  b.neg(end[0], "there");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_EQ(count((*parts)[1].graph, "Enter"), 0);
}

}  // namespace
}  // namespace troupe
