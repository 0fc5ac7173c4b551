#include "graph/passes/partition.h"

#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_builder.h"
#include "graph/ir/names.h"
#include "graph/passes/colocate_control_flow.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

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

using Partitions = absl::StatusOr<std::vector<PlanPartition>>;

/// Nodes whose name has "there" in it on the second device, all others on the first.
void place_by_name(Graph* graph) {
  for (int i = 0; i < graph->num_ids(); ++i) {
    Node& n = graph->node(i);
    n.device = absl::StrContains(n.name, "there") ? 1 : 0;
  }
}

Partitions cut(Graph graph) {
  Draft draft;
  draft.graph = std::move(graph);
  place_by_name(&draft.graph);
  return partition(TwoDevices(), cut_by_device(TwoDevices()), std::move(draft));
}

Partitions cut(GraphBuilder& b) {
  auto graph = b.build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return graph.status();
  return cut(*std::move(graph));
}

/// As a plan cuts a graph: what routes values is where the values are.
Partitions colocate_and_cut(Graph graph) {
  Draft draft;
  draft.graph = std::move(graph);
  place_by_name(&draft.graph);
  EXPECT_TRUE(colocate_control_flow(TwoDevices(), &draft.graph).ok());
  return partition(TwoDevices(), cut_by_device(TwoDevices()), std::move(draft));
}

Graph graph_of(const std::string& nodes) {
  Graph graph;
  const absl::Status s = import_graph_def(test::with_functions(nodes), {}, &graph);
  EXPECT_TRUE(s.ok()) << s;
  return graph;
}

/// "name: Op(inputs, ^controls)", as a NodeDef has them.
std::vector<std::string> lines(const Graph& graph) {
  std::vector<std::string> out;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (n.removed()) continue;
    std::vector<std::string> inputs;
    for (Endpoint e : n.inputs) inputs.push_back(input_text(graph.node(e.node).name, e.slot));
    for (int c : n.control_inputs) inputs.push_back("^" + graph.node(c).name);
    out.push_back(absl::StrCat(n.name, ": ", n.op->name, "(", absl::StrJoin(inputs, ", "), ")"));
  }
  return out;
}

std::string text_attr(const Graph& graph, const std::string& node, const std::string& attr) {
  const Node* n = graph.find(node);
  return n == nullptr ? "no " + node : n->attrs.get_or<std::string>(attr, "no " + attr);
}

int64_t incarnation(const Graph& graph, const std::string& node) {
  const Node* n = graph.find(node);
  return n == nullptr ? -1 : n->attrs.get_or<int64_t>("send_device_incarnation", -1);
}

/// Whatever a device receives in a loop waits for a Merge, of which the next iteration makes the value.
void expect_to_be_received_once_an_iteration(const Graph& graph) {
  for (const char* op : {"Enter", "Merge", "Switch", "NextIteration"}) EXPECT_GE(count(graph, op), 1) << op;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (!n.is("_Recv")) continue;
    ASSERT_EQ(n.control_inputs.size(), 1u) << n.name << " waits for the loop";
    const Node& merge = graph.node(n.control_inputs[0]);
    ASSERT_TRUE(merge.is("Merge")) << n.name;
    EXPECT_TRUE(graph.node(merge.inputs[0].node).is("Enter"));
    EXPECT_TRUE(graph.node(merge.inputs[1].node).is("NextIteration"));
  }
}

TEST(Partition, s126_s142_leaves_a_graph_of_one_device_whole) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {}, "there_x");
  Out y = b.neg(x, "there_y");
  b.add(x, y, "there_z");
  const std::vector<std::string> before = lines(b.graph());
  auto there = cut(b);
  ASSERT_TRUE(there.ok()) << there.status();
  ASSERT_EQ(there->size(), 1u);
  EXPECT_EQ((*there)[0].device, 1);
  EXPECT_EQ(lines((*there)[0].graph), before);
  GraphBuilder nothing;
  auto empty = cut(nothing);
  ASSERT_TRUE(empty.ok()) << empty.status();
  ASSERT_EQ(empty->size(), 1u);
  EXPECT_EQ((*empty)[0].device, 0) << "the client's";
}

TEST(Partition, s127_sends_a_value_to_another_device) {
  GraphBuilder b;
  Out a = b.placeholder(DataType::kFloat, {}, "A1");
  b.add(a, b.placeholder(DataType::kFloat, {}, "there_B1"), "there_B2");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  const Graph &here = (*parts)[0].graph, &there = (*parts)[1].graph;
  EXPECT_THAT(lines(here), UnorderedElementsAre("A1: Placeholder()", "A1/_0: _Send(A1)"));
  EXPECT_THAT(lines(there), UnorderedElementsAre("there_B1: Placeholder()", "A1/_1: _Recv()",
                                                 "there_B2: AddV2(A1/_1, there_B1)"));
  const TwoDevices catalog;
  const auto& devices = catalog.entries();
  for (const auto& [graph, node] : {std::pair(&here, "A1/_0"), std::pair(&there, "A1/_1")}) {
    EXPECT_EQ(text_attr(*graph, node, "tensor_name"), "edge_1_A1");
    EXPECT_EQ(text_attr(*graph, node, "send_device"), devices[0].name);
    EXPECT_EQ(text_attr(*graph, node, "recv_device"), devices[1].name);
    EXPECT_EQ(incarnation(*graph, node), 7) << "of who sends";
    EXPECT_FALSE(graph->find(node)->attrs.get_or("client_terminated", true));
  }
}

TEST(Partition, s128_carries_a_control_edge_by_an_empty_tensor) {
  GraphBuilder b;
  auto after = b.control({b.op("NoOp", {}, {}, "A1")});
  b.op("NoOp", {}, {}, "there_B1");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_THAT(lines((*parts)[0].graph),
              UnorderedElementsAre("A1: NoOp()", "A1/_0: Const(^A1)", "A1/_1: _Send(A1/_0)"));
  EXPECT_THAT(lines((*parts)[1].graph),
              UnorderedElementsAre("A1/_2: _Recv()", "A1/_3: Identity(A1/_2)", "there_B1: NoOp(^A1/_3)"));
  EXPECT_EQ(const_value(*(*parts)[0].graph.find("A1/_0"))->num_elements(), 0);
}

TEST(Partition, s129_sends_an_output_once_to_all_its_consumers_there) {
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

TEST(Partition, s130_carries_all_control_edges_of_a_node_in_one_pair) {
  GraphBuilder b;
  Out first = b.op("NoOp", {}, {}, "first");
  auto after = b.control({first});
  b.op("NoOp", {}, {}, "there_a");
  b.op("NoOp", {}, {}, "there_b");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_EQ(count((*parts)[0].graph, "_Send"), 1);
  EXPECT_EQ(count((*parts)[1].graph, "_Recv"), 1);
  EXPECT_EQ(count((*parts)[1].graph, "Identity"), 1);
}

TEST(Partition, s131_carries_value_and_control_of_one_node_apart) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.neg(x, "there_a");
  auto after = b.control({x});
  b.op("NoOp", {}, {}, "there_b");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_EQ(count((*parts)[0].graph, "_Send"), 2);
  EXPECT_EQ(count((*parts)[1].graph, "_Recv"), 2);
}

// --- loops ---

std::string node_text(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                      const std::string& attrs = "") {
  std::string text = absl::StrCat("node { name: '", name, "' op: '", op, "'");
  for (const std::string& in : inputs) absl::StrAppend(&text, " input: '", in, "'");
  return absl::StrCat(text, " attr { key: 'T' value { type: DT_BOOL } }", attrs, " }\n");
}
const char kFrame[] = " attr { key: 'frame_name' value { s: 'foo' } }";
const char kTwo[] = " attr { key: 'N' value { i: 2 } }";

TEST(Partition, s132_gives_a_device_that_a_loop_visits_a_loop_of_its_own) {
  auto parts = colocate_and_cut(graph_of(
      test::placeholder_text("A1", "DT_BOOL") + node_text("A2", "Enter", {"A1"}, kFrame) +
      node_text("A3", "Merge", {"A2", "A5"}, kTwo) + "node { name: 'A4' op: 'LoopCond' input: 'A3' }" +
      node_text("there_B1", "Identity", {"A3"}) + node_text("A5", "NextIteration", {"there_B1"})));
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  expect_to_be_received_once_an_iteration((*parts)[0].graph);
  expect_to_be_received_once_an_iteration((*parts)[1].graph);
  EXPECT_EQ(count((*parts)[1].graph, "Enter"), 1) << "one loop of control for both values that come there";
}

TEST(Partition, s133_has_the_ends_of_a_loop_where_its_merge_is) {
  auto parts = colocate_and_cut(
      graph_of(test::placeholder_text("A1", "DT_BOOL") + node_text("there_B2", "Enter", {"A1"}, kFrame) +
               node_text("A3", "Merge", {"there_B2", "there_B5"}, kTwo) +
               "node { name: 'A4' op: 'LoopCond' input: 'A3' }" + node_text("there_B1", "Identity", {"A3"}) +
               node_text("there_B5", "NextIteration", {"there_B1"})));
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ((*parts)[0].device, 0);
  EXPECT_THAT(lines((*parts)[0].graph), testing::Contains("A3: Merge(there_B2, there_B5)"));
}

TEST(Partition, s134_cuts_a_whole_loop_whose_body_is_elsewhere) {
  GraphBuilder b;
  std::vector<Out> end = b.while_loop(
      {b.placeholder(DataType::kInt32, {}, "p1"), b.placeholder(DataType::kInt32, {}, "p2")},
      [&](const std::vector<Out>& v) { return b.less(v[0], b.constant(10)); },
      [&](const std::vector<Out>& v) {
        return std::vector<Out>{b.add(v[0], v[1], "there_sum"), v[1]};
      });
  auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto parts = colocate_and_cut(*std::move(graph));
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  expect_to_be_received_once_an_iteration((*parts)[0].graph);
  expect_to_be_received_once_an_iteration((*parts)[1].graph);
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

/// A loop over two devices, whose conditions are these.
Partitions cut_loop(const std::string& conditions) {
  return cut(graph_of(test::placeholder_text("x", "DT_BOOL") + node_text("enter", "Enter", {"x"}, kFrame) +
                      node_text("merge", "Merge", {"enter", "next"}, kTwo) + conditions +
                      node_text("there", "Identity", {"merge"}) +
                      node_text("next", "NextIteration", {"there"})));
}

TEST(Partition, s148_refuses_a_loop_with_two_conditions) {
  const std::string cond = "node { name: 'c1' op: 'LoopCond' input: 'merge' }";
  EXPECT_TRUE(cut_loop(cond).ok());
  const absl::Status two = cut_loop(cond + "node { name: 'c2' op: 'LoopCond' input: 'merge' }").status();
  EXPECT_EQ(two.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(two.message()),
              HasSubstr("Loop \"foo\" has more than one LoopCond node: {{node c2}} and {{node c1}}."));
  EXPECT_TRUE(cut_loop(cond + "node { name: 'LoopCounter' op: 'LoopCond' input: 'merge' }").ok())
      << "a gradient counts iterations by one of its own";
  const absl::Status none = cut_loop("").status();
  EXPECT_EQ(none.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(none.message()),
              HasSubstr("The loop foo runs on several devices, but has no LoopCond"));
}

// --- functions and transfers ---

TEST(Partition, s136_gives_each_part_the_functions_that_it_reaches) {
  const std::string call =
      test::call_text("forever", "PartitionedCall", {"x"}, {{"f", "Forever"}},
                      test::types_text("Tin", {"DT_FLOAT"}) + test::types_text("Tout", {"DT_FLOAT"}));
  const std::string nodes = test::placeholder_text("x", "DT_FLOAT") +
                            "node { name: 'near' op: 'Twice' input: 'x' }" +
                            "node { name: 'there' op: 'Double' input: 'x' input: 'x' }";
  auto parts = cut(graph_of(nodes + call));
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_THAT((*parts)[0].graph.library()->names(), ElementsAre("Forever", "Twice"));
  EXPECT_THAT((*parts)[1].graph.library()->names(), ElementsAre("Double", "Twice")) << "Double calls Twice";
  auto alone = cut(graph_of(test::placeholder_text("x", "DT_FLOAT")));
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_TRUE((*alone)[0].graph.library()->empty());
}

TEST(Partition, s137_says_in_transfers_that_are_there_which_life_of_the_sender_they_are_of) {
  const TwoDevices catalog;
  const auto& devices = catalog.entries();
  auto transfer = [&](const std::string& op, const std::string& name, const std::string& type,
                      const std::string& from, int of) {
    return absl::StrCat(
        "node { name: '", name, "' op: '", op, "' ", op == "_Send" ? "input: 'x' " : "", "attr { key: '",
        type,
        "' value { type: DT_FLOAT } } attr { key: 'tensor_name' value { s: 't' } } attr { key: "
        "'send_device' value { s: '",
        from, "' } } attr { key: 'send_device_incarnation' value { i: ", of,
        " } } attr { key: 'recv_device' value { s: '", devices[1].name, "' } } }");
  };
  auto parts = cut(graph_of(test::placeholder_text("x", "DT_FLOAT") +
                            transfer("_Send", "send", "T", devices[0].name, 0) +
                            transfer("_Recv", "there", "tensor_type", devices[0].name, 0) +
                            transfer("_Recv", "there_known", "tensor_type", devices[0].name, 5) +
                            transfer("_Recv", "there_foreign", "tensor_type", "/job:other/device:CPU:0", 0)));
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_EQ(incarnation((*parts)[0].graph, "send"), 7);
  EXPECT_EQ(incarnation((*parts)[1].graph, "there"), 7);
  EXPECT_EQ(incarnation((*parts)[1].graph, "there_known"), 5) << "it said so itself";
  EXPECT_EQ(incarnation((*parts)[1].graph, "there_foreign"), 0) << "nobody knows";
}

}  // namespace
}  // namespace troupe
