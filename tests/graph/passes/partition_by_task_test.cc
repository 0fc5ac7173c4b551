#include "graph/passes/partition_by_task.h"

#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/graph_builder.h"
#include "graph/ir/graph_def.h"
#include "graph/ir/names.h"

#include "proto/graph.pb.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kTask0[] = "/job:worker/replica:0/task:0", kTask1[] = "/job:worker/replica:0/task:1";

/// Two tasks of two devices each, as their master or one of them sees them.
class FourDevices final : public DeviceCatalog {
 public:
  /// -1: the master's.
  explicit FourDevices(int task = -1) {
    for (int t = 0; t < 2; ++t) {
      for (int d = 0; d < 2; ++d) {
        entries_.push_back({absl::StrCat(t == 0 ? kTask0 : kTask1, "/device:CPU:", d), "CPU",
                            static_cast<uint64_t>(10 * t + d + 1), 60, task < 0 || task == t});
      }
    }
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override { return 0; }
  absl::StatusOr<Support> kernel_support(const OpDef&, const AttrMap&, const std::string&) const override {
    return Support{true, 0};
  }
  std::string kernels_of(const std::string&) const override { return ""; }

 private:
  std::vector<Entry> entries_;
};

using Partitions = absl::StatusOr<std::vector<PlanPartition>>;

/// A node whose name has "d3" in it is on device 3; those that say nothing are on device 0.
Partitions cut(GraphBuilder& b) {
  auto graph = b.build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return graph.status();
  Draft draft;
  draft.graph = *std::move(graph);
  for (int i = 0; i < draft.graph.num_ids(); ++i) {
    Node& n = draft.graph.node(i);
    n.device = 0;
    for (int d = 1; d < 4; ++d) {
      if (absl::StrContains(n.name, absl::StrCat("d", d))) n.device = d;
    }
  }
  return partition_by_task(FourDevices(), std::move(draft));
}

/// "name: Op(inputs, ^controls)", as a NodeDef has them.
std::vector<std::string> lines(const Graph& graph) {
  std::vector<std::string> out;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    std::vector<std::string> inputs;
    for (Endpoint e : n.inputs) inputs.push_back(input_text(graph.node(e.node).name, e.slot));
    for (int c : n.control_inputs) inputs.push_back("^" + graph.node(c).name);
    out.push_back(absl::StrCat(n.name, ": ", n.op->name, "(", absl::StrJoin(inputs, ", "), ")"));
  }
  return out;
}

std::string device_of(const Graph& graph, const std::string& node) {
  const Node* n = graph.find(node);
  return n == nullptr ? "no " + node : n->requested_device;
}

std::string text_attr(const Graph& graph, const std::string& node, const std::string& attr) {
  const Node* n = graph.find(node);
  return n == nullptr ? "no " + node : n->attrs.get_or<std::string>(attr, "no " + attr);
}

/// The part as a worker gets it.
Graph sent(const Graph& part) {
  pb::GraphDef def;
  to_graph_def(part, &def);
  Graph graph;
  const absl::Status status = import_graph_def(def, {.allow_internal_names = true}, &graph);
  EXPECT_TRUE(status.ok()) << status;
  return graph;
}

/// Whatever is received in a loop waits for a Merge, of which the next iteration makes the value.
int receives_in_loops(const Graph& graph) {
  int found = 0;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (!n.is("_Recv") || n.control_inputs.empty()) continue;
    ++found;
    EXPECT_EQ(n.control_inputs.size(), 1u) << n.name;
    EXPECT_TRUE(graph.node(n.control_inputs[0]).is("Merge")) << n.name;
  }
  return found;
}

int count(const Graph& graph, const std::string& op) {
  int n = 0;
  for (int i = 0; i < graph.num_ids(); ++i) n += graph.node(i).is(op);
  return n;
}

TEST(PartitionByTask, keeps_the_devices_of_a_task_together) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.neg(b.neg(x, "d1_y"), "z");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_THAT(lines((*parts)[0].graph), ElementsAre("x: Placeholder()", "d1_y: Neg(x)", "z: Neg(d1_y)"));
  EXPECT_EQ(device_of((*parts)[0].graph, "d1_y"), absl::StrCat(kTask0, "/device:CPU:1"));
}

TEST(PartitionByTask, sends_a_value_once_to_all_devices_of_a_task) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {}, "d1_x");
  b.neg(x, "d3_y");
  b.neg(x, "d2_z");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  const Graph &here = (*parts)[0].graph, &there = (*parts)[1].graph;
  EXPECT_THAT(lines(here), UnorderedElementsAre("d1_x: Placeholder()", "d1_x_S0: _Send(d1_x)"));
  EXPECT_THAT(lines(there),
              UnorderedElementsAre("d3_y: Neg(d1_x_S1)", "d2_z: Neg(d1_x_S1)", "d1_x_S1: _Recv()"));
  EXPECT_EQ(device_of(there, "d1_x_S1"), absl::StrCat(kTask1, "/device:CPU:1")) << "of the first consumer";
  for (const auto& [graph, node] : {std::pair(&here, "d1_x_S0"), std::pair(&there, "d1_x_S1")}) {
    EXPECT_EQ(text_attr(*graph, node, "send_device"), absl::StrCat(kTask0, "/device:CPU:1"));
    EXPECT_EQ(text_attr(*graph, node, "recv_device"), absl::StrCat(kTask1, "/device:CPU:1"));
    EXPECT_EQ(text_attr(*graph, node, "tensor_name"), "edge_1_d1_x");
    EXPECT_EQ(graph->find(node)->attrs.get_or<int64_t>("send_device_incarnation", 0), 2);
  }
}

TEST(PartitionByTask, carries_control_edges_by_an_empty_tensor) {
  GraphBuilder b;
  Out first = b.op("NoOp", {}, {}, "first");
  auto after = b.control({first});
  b.op("NoOp", {}, {}, "d1_here");
  b.op("NoOp", {}, {}, "d2_a");
  b.op("NoOp", {}, {}, "d3_b");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_THAT(lines((*parts)[0].graph),
              UnorderedElementsAre("first: NoOp()", "d1_here: NoOp(^first)", "first_S0: Const(^first)",
                                   "first_S1: _Send(first_S0)"));
  EXPECT_THAT(lines((*parts)[1].graph),
              UnorderedElementsAre("d2_a: NoOp(^first_S3)", "d3_b: NoOp(^first_S3)", "first_S2: _Recv()",
                                   "first_S3: Identity(first_S2)"));
}

TEST(PartitionByTask, a_worker_cuts_its_part_by_device) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.neg(x, "d2_y");
  b.neg(x, "d3_z");
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  auto plan = plan_part(FourDevices(1), sent((*parts)[1].graph), 0, 0);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->partitions.size(), 2u);
  EXPECT_EQ(plan->partitions[0].device, 2);
  EXPECT_THAT(lines(plan->partitions[0].graph),
              UnorderedElementsAre("d2_y: Neg(x_S1)", "x_S1: _Recv()", "x_S1/_0: _Send(x_S1)"));
  EXPECT_EQ(plan->partitions[1].device, 3);
  EXPECT_THAT(lines(plan->partitions[1].graph),
              UnorderedElementsAre("d3_z: Neg(x_S1/_1)", "x_S1/_1: _Recv()"));
  EXPECT_EQ(text_attr(plan->partitions[1].graph, "x_S1/_1", "send_device"),
            absl::StrCat(kTask1, "/device:CPU:0"));
  EXPECT_EQ(plan->partitions[0].graph.find("x_S1")->attrs.get_or<int64_t>("send_device_incarnation", 0), 1)
      << "the master knew it";
}

/// A loop whose body is on device 2, of another task than its condition, with a part on device 3.
void loop_over_tasks(GraphBuilder& b) {
  b.while_loop(
      {b.constant(0.0f)}, [&](const std::vector<Out>& v) { return b.less(v[0], b.constant(8.0f)); },
      [&](const std::vector<Out>& v) {
        Out y = b.neg(b.neg(v[0], "d2_y"), "d3_z");
        return std::vector<Out>{b.add(y, y, "d2_sum")};
      });
}

TEST(PartitionByTask, gives_each_task_that_a_loop_visits_one_loop_of_control) {
  GraphBuilder b;
  loop_over_tasks(b);
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  const Graph &here = (*parts)[0].graph, &there = (*parts)[1].graph;
  EXPECT_EQ(receives_in_loops(here), count(here, "_Recv"));
  EXPECT_EQ(receives_in_loops(there), count(there, "_Recv"));
  EXPECT_EQ(count(there, "Enter"), 1);
  EXPECT_EQ(count(there, "LoopCond"), 1) << "for the devices there";
  EXPECT_EQ(count(here, "LoopCond"), 1) << "that of the loop";
}

TEST(PartitionByTask, a_loop_over_tasks_is_cut_again_by_device) {
  GraphBuilder b;
  loop_over_tasks(b);
  auto parts = cut(b);
  ASSERT_TRUE(parts.ok()) << parts.status();
  auto plan = plan_part(FourDevices(1), sent((*parts)[1].graph), 0, 0);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->partitions.size(), 2u);
  for (const PlanPartition& part : plan->partitions) {
    EXPECT_GE(count(part.graph, "_Recv"), 2) << "a value, and whether to go on";
    EXPECT_EQ(receives_in_loops(part.graph), count(part.graph, "_Recv"));
    EXPECT_GE(count(part.graph, "NextIteration"), 1);
  }
}

TEST(PartitionByTask, a_task_of_one_device_needs_no_loop_cond_of_its_own) {
  class OneEach final : public DeviceCatalog {
   public:
    const std::vector<Entry>& entries() const override { return entries_; }
    int client_device() const override { return 0; }
    absl::StatusOr<Support> kernel_support(const OpDef&, const AttrMap&, const std::string&) const override {
      return Support{true, 0};
    }
    std::string kernels_of(const std::string&) const override { return ""; }

   private:
    std::vector<Entry> entries_{{absl::StrCat(kTask0, "/device:CPU:0"), "CPU", 7},
                                {absl::StrCat(kTask1, "/device:CPU:0"), "CPU", 8}};
  };
  GraphBuilder b;
  loop_over_tasks(b);
  Draft draft;
  draft.graph = *b.build();
  for (int i = 0; i < draft.graph.num_ids(); ++i) {
    draft.graph.node(i).device = absl::StrContains(draft.graph.node(i).name, "d2");
  }
  auto parts = partition_by_task(OneEach(), std::move(draft));
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ(count((*parts)[1].graph, "LoopCond"), 0);
}

// --- what a worker is sent ---

Graph one_node(const std::string& device, const std::string& op = "NoOp", AttrMap attrs = {}) {
  Graph graph;
  EXPECT_TRUE(graph.add_node("n", op, std::move(attrs), {}, {}, device).ok());
  return graph;
}

TEST(PlanPart, refuses_nodes_that_are_nowhere_or_elsewhere) {
  const auto refused = [](const std::string& device) {
    const absl::Status status = plan_part(FourDevices(1), one_node(device), 0, 0).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << device;
    return std::string(status.message());
  };
  EXPECT_THAT(refused(""), HasSubstr("Missing device name in: {{node n}} (NoOp)"));
  EXPECT_THAT(refused("/device:CPU:0"), HasSubstr("Missing device name in: {{node n}}"));
  EXPECT_THAT(refused("nonsense"), HasSubstr("Missing device name in: {{node n}}"));
  EXPECT_THAT(refused(absl::StrCat(kTask0, "/device:CPU:0")),
              HasSubstr(absl::StrCat("{{node n}} (NoOp) is on ", kTask0,
                                     "/device:CPU:0, which is no device of this task: [", kTask1,
                                     "/device:CPU:0, ", kTask1, "/device:CPU:1]")));
  EXPECT_TRUE(plan_part(FourDevices(1), one_node(absl::StrCat(kTask1, "/cpu:1")), 0, 0).ok())
      << "the old way to write it";
}

TEST(PlanPart, knows_the_feeds_and_fetches_of_its_part) {
  const std::string here = absl::StrCat(kTask1, "/device:CPU:0");
  const auto arg = [&](int64_t index) {
    return one_node(here, "_Arg", {{"T", DataType::kInt32}, {"index", index}});
  };
  auto plan = plan_part(FourDevices(1), arg(1), 3, 2);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->feed_types, ElementsAre(DataType::kInvalid, DataType::kInt32, DataType::kInvalid));
  EXPECT_THAT(plan->fetch_types, ElementsAre(DataType::kInvalid, DataType::kInvalid));
  for (const int64_t bad : {int64_t{3}, int64_t{1} << 40}) {
    const absl::Status status = plan_part(FourDevices(1), arg(bad), 3, 2).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("{{node n}} (_Arg) has index ", bad, ", expected 0 to 2")));
  }
  Graph twice = arg(1);
  ASSERT_TRUE(twice.add_node("m", "_Arg", {{"T", DataType::kInt32}, {"index", 1}}, {}, {}, here).ok());
  EXPECT_THAT(std::string(plan_part(FourDevices(1), std::move(twice), 3, 2).status().message()),
              HasSubstr("{{node m}} (_Arg) has index 1, which another node has"));
}

}  // namespace
}  // namespace troupe
