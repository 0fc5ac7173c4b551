#include "graph/passes/place.h"

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"
#include "graph/passes/planner.h"
#include "graph/passes/stateful_places.h"

namespace troupe {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Two CPUs; a kernel for everything but NoSuchKernel ops, which tests name.
class TwoDevices final : public DeviceCatalog {
 public:
  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override { return 0; }
  absl::StatusOr<Support> kernel_support(const OpDef& op, const AttrMap&, const std::string&) const override {
    ++lookups;
    return Support{op.name != without_kernel, 0};
  }
  std::string kernels_of(const std::string&) const override { return "  <no registered kernels>\n"; }

  std::string without_kernel;
  mutable int lookups = 0;

 private:
  std::vector<Entry> entries_{{"/job:localhost/replica:0/task:0/device:CPU:0", "CPU", 7},
                              {"/job:localhost/replica:0/task:0/device:CPU:1", "CPU", 8}};
};

class Place : public testing::Test {
 protected:
  /// A node that asks for `device`.
  Out at(const std::string& device, const std::string& op, const std::vector<In>& inputs, AttrMap attrs,
         const std::string& name) {
    auto there = b.device(device);
    return b.op(op, inputs, std::move(attrs), name);
  }
  Out variable(const std::string& device, const std::string& name) {
    return at(device, "VariableV2", {}, {{"shape", Shape{}}, {"dtype", DataType::kFloat}}, name);
  }
  Out handle(const std::string& device, const std::string& name) {
    return at(device, "VarHandleOp", {}, {{"shape", Shape{}}, {"dtype", DataType::kFloat}}, name);
  }
  /// For what was built, then for what was added.
  absl::Status decide(bool soft = false) {
    if (graph.num_ids() == 0) {
      auto built = b.build();
      EXPECT_TRUE(built.ok()) << built.status();
      graph = *std::move(built);
    }
    return placement.extend(devices, soft, graph);
  }
  void add(const std::string& name, const std::string& op, AttrMap attrs, std::vector<Endpoint> inputs,
           const std::string& device) {
    auto node = graph.add_node(name, op, std::move(attrs), std::move(inputs), {}, device);
    EXPECT_TRUE(node.ok()) << node.status();
  }
  static AttrMap in_class(const std::string& of) {
    return {{"_class", std::vector<std::string>{"loc:@" + of}}};
  }
  int device_of(const std::string& name) const { return placement.device_of(graph.find(name)->id); }

  GraphBuilder b;
  Graph graph;
  TwoDevices devices;
  Placement placement;
};

TEST_F(Place, puts_a_variable_where_the_graph_as_a_whole_wants_it) {
  Out v = variable("", "v");
  at("/cpu:1", "Assign", {v, b.constant(3.0f, "three")}, {}, "assign");
  b.op("Identity", {v}, {}, "read");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(device_of("v"), 1);
  EXPECT_EQ(device_of("assign"), 1);
  for (const char* fetch : {"read", "assign"}) {
    PlanOptions options;
    options.placement = &placement;
    auto plan = make_plan(graph, {{}, {fetch}, {}}, devices, nullptr, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const PlanPartition& p : plan->partitions) {
      if (p.graph.find("v") != nullptr) {
        EXPECT_EQ(p.device, 1) << "for " << fetch;
      }
    }
  }
}

TEST_F(Place, keeps_what_was_decided_when_more_nodes_come) {
  Out v = variable("", "v"), three = b.constant(3.0f);
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(device_of("v"), 0);
  add("assign", "Assign", {{"T", DataType::kFloat}}, {v.endpoint(), three.endpoint()}, "/cpu:1");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(device_of("v"), 0);
  EXPECT_EQ(device_of("assign"), 0) << "the variable's device counts";
}

TEST_F(Place, looks_at_what_is_new_only) {
  Out sum = b.constant(1.0f);
  for (int i = 0; i < 100; ++i) sum = b.op("Neg", {sum});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_LE(devices.lookups, 2) << "one for each op and type";
  EXPECT_EQ(placement.num_ids(), graph.num_ids());
  devices.lookups = 0;
  ASSERT_EQ(placement.extend(devices, false, graph), absl::OkStatus());
  EXPECT_EQ(devices.lookups, 0);
}

TEST_F(Place, is_unchanged_by_nodes_that_it_refuses) {
  b.constant(1.0f, "good");
  ASSERT_EQ(decide(), absl::OkStatus());
  const int before = placement.num_ids();
  add("bad", "NoOp", {}, {}, "/cpu:7");
  const absl::Status refused = decide();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("{{node bad}} was explicitly assigned to /cpu:7"));
  EXPECT_EQ(placement.num_ids(), before);
}

TEST_F(Place, refuses_two_resources_of_different_devices_in_one_op) {
  Out a = handle("/cpu:0", "a"), c = handle("/cpu:1", "c");
  Out one = b.constant(1.0f);
  b.op("ResourceApplyMomentum", {a, c, one, one, one}, {{"T", DataType::kFloat}}, "apply");
  for (bool soft : {false, true}) {
    const absl::Status refused = decide(soft);
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(
        refused.message(),
        HasSubstr("Cannot place the graph because a reference or resource edge connects colocation "
                  "groups with incompatible resource devices: /device:CPU:1 vs /device:CPU:0. The edge "
                  "src node is name='c' (op='VarHandleOp'), and the dst node is name='apply' "
                  "(op='ResourceApplyMomentum')."));
  }
}

TEST_F(Place, refuses_two_variables_of_different_devices_in_one_op) {
  Out a = variable("/cpu:0", "a"), c = variable("/cpu:1", "c");
  Out one = b.constant(1.0f);
  b.op("ApplyMomentum", {a, c, one, one, one}, {}, "apply");
  EXPECT_THAT(decide().message(), HasSubstr("incompatible resource devices: /device:CPU:1 vs /device:CPU:0"));
}

TEST_F(Place, lets_a_function_take_resources_from_everywhere) {
  Out a = handle("/cpu:0", "a"), c = handle("/cpu:1", "c");
  b.op("IdentityN", {std::vector<Out>{a, c}}, {}, "both");
  EXPECT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(device_of("a"), 0);
  EXPECT_EQ(device_of("c"), 1);
}

TEST_F(Place, lets_the_source_of_a_reference_decide) {
  Out v = variable("/cpu:0", "v");
  at("/cpu:1", "Assign", {v, b.constant(3.0f)}, {}, "assign");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(device_of("assign"), 0);
}

TEST_F(Place, refuses_a_class_whose_members_ask_for_different_devices) {
  at("/cpu:0", "NoOp", {}, {}, "a");
  at("/cpu:1", "NoOp", {}, in_class("a"), "c");
  EXPECT_THAT(decide().message(),
              AllOf(HasSubstr("Cannot colocate nodes {{colocation_node c}} and {{colocation_node a}}: Cannot "
                              "merge devices with incompatible ids: '/device:CPU:1' and '/device:CPU:0'"),
                    HasSubstr("[[{{node c}}]]")));
  EXPECT_EQ(decide(true), absl::OkStatus()) << "soft placement";
}

TEST_F(Place, joins_a_class_whose_members_came_before) {
  at("/cpu:1", "NoOp", {}, in_class("label"), "a");
  ASSERT_EQ(decide(), absl::OkStatus());
  add("c", "NoOp", in_class("label"), {}, "");
  add("d", "NoOp", in_class("a"), {}, "");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(device_of("c"), 1);
  EXPECT_EQ(device_of("d"), 1);
  add("e", "NoOp", in_class("a"), {}, "/cpu:0");
  EXPECT_THAT(decide().message(),
              HasSubstr("Cannot colocate nodes {{colocation_node e}} and {{colocation_node a}}"));
}

TEST_F(Place, leaves_an_op_without_a_kernel_to_the_run_that_needs_it) {
  devices.without_kernel = "Neg";
  Out x = b.constant(1.0f, "x");
  b.op("Neg", {x}, {}, "neg");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(device_of("neg"), -1);
  PlanOptions options;
  options.placement = &placement;
  EXPECT_TRUE(make_plan(graph, {{}, {"x"}, {}}, devices, nullptr, options).ok());
  EXPECT_THAT(make_plan(graph, {{}, {"neg"}, {}}, devices, nullptr, options).status().message(),
              HasSubstr("No OpKernel was registered to support Op 'Neg' used by {{node neg}}"));
}

TEST_F(Place, decides_for_a_signature_alone_without_a_placement) {
  Out v = variable("", "v");
  at("/cpu:1", "Assign", {v, b.constant(3.0f)}, {}, "assign");
  b.op("Identity", {v}, {}, "read");
  ASSERT_EQ(decide(), absl::OkStatus());
  auto plan = make_plan(graph, {{}, {"read"}, {}}, devices, nullptr, {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->partitions[0].device, 0) << "as place_pruned_graph asks";
}

TEST_F(Place, moves_what_only_makes_a_value_to_who_wants_it_and_nothing_else) {
  Out wanted = b.constant(1.0f, "wanted"), everywhere = b.constant(2.0f, "everywhere");
  Out computed = b.op("Neg", {wanted}, {}, "computed");
  Out clock = b.op("Timestamp", {}, {}, "clock");
  Out bound =
      at("/cpu:0", "Const", {}, {{"dtype", DataType::kFloat}, {"value", Tensor::scalar(1.0f)}}, "bound");
  Out member = b.op("Const", {},
                    {{"dtype", DataType::kFloat},
                     {"value", Tensor::scalar(3.0f)},
                     {"_class", std::vector<std::string>{"loc:@computed"}}},
                    "member");
  Out only = b.constant(4.0f, "only");
  for (Out x : {everywhere, computed, clock, bound, member, only}) at("/cpu:1", "Identity", {x}, {}, "");
  at("/cpu:0", "Identity", {everywhere}, {}, "");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(device_of("only"), 1) << "all its consumers are there";
  EXPECT_EQ(device_of("clock"), 1) << "stateful or not";
  EXPECT_EQ(device_of("wanted"), 0) << "its consumer is here";
  for (const char* stays : {"everywhere", "computed", "bound", "member"}) {
    EXPECT_EQ(device_of(stays), 0) << stays;
  }
}

TEST_F(Place, of_a_node_with_state_is_where_it_was_first_and_nobody_elses_is_remembered) {
  StatefulPlaces places;
  const auto placed = [&](const std::string& device) {
    GraphBuilder builder;
    {
      auto there = builder.device(device);
      builder.op("VariableV2", {}, {{"shape", Shape{}}, {"dtype", DataType::kFloat}}, "v");
      builder.constant(1.0f, "c");
      builder.op("_Arg", {}, {{"T", DataType::kFloat}, {"index", int64_t{0}}}, "arg");
      builder.op("_Recv", {},
                 {{"tensor_type", DataType::kFloat},
                  {"tensor_name", std::string("edge")},
                  {"send_device", std::string("a")},
                  {"send_device_incarnation", int64_t{1}},
                  {"recv_device", std::string("b")}},
                 "recv");
    }
    auto built = builder.build();
    EXPECT_TRUE(built.ok()) << built.status();
    graph = *std::move(built);
    const auto stats = places.place(devices, {}, &graph);
    EXPECT_TRUE(stats.ok()) << stats.status();
    std::map<std::string, int> out;
    for (const char* name : {"v", "c", "arg", "recv"}) out[name] = graph.find(name)->device;
    return out;
  };
  const std::map<std::string, int> first{{"v", 1}, {"c", 1}, {"arg", 1}, {"recv", 1}};
  EXPECT_EQ(placed("/cpu:1"), first);
  const std::map<std::string, int> later{{"v", 1}, {"c", 0}, {"arg", 0}, {"recv", 0}};
  EXPECT_EQ(placed(""), later);
}

}  // namespace
}  // namespace troupe
