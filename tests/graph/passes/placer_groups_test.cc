// What must be together: variables and who uses them, colocation groups.
#include "tests/graph/passes/placer_testing.h"

namespace troupe::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using PlacerGroups = PlacerTest;

struct Kind {
  const char* suffix;
  bool cpu, gpu;
};
constexpr Kind kKinds[] = {{"", true, true}, {"CPU", true, false}, {"GPU", false, true}};

/// Every kind of producer with every kind of consumer; where both have a kernel they are together.
class PlacerKinds : public PlacerTest {
 protected:
  void expect_all(const std::string& producer, const std::string& consumer, bool takes_a_value) {
    for (const Kind& p : kKinds) {
      for (const Kind& c : kKinds) {
        const std::string pair = absl::StrCat(producer, p.suffix, " into ", consumer, c.suffix);
        const Out made = node(absl::StrCat("made ", pair), producer + p.suffix);
        std::vector<In> inputs{made};
        if (takes_a_value) inputs.push_back(node(absl::StrCat("value ", pair), "Input"));
        node(absl::StrCat("use ", pair), consumer + c.suffix, inputs);
        const std::string where = p.gpu && c.gpu ? "FakeGPU:0" : p.cpu && c.cpu ? "FakeCPU:0" : "";
        if (where.empty()) {
          EXPECT_THAT(refused(), HasSubstr("because no device type supports both of those nodes")) << pair;
          EXPECT_THAT(refused(true), HasSubstr("Nodes were connected by a reference or resource connection"))
              << pair;
        } else {
          ASSERT_EQ(decide(), absl::OkStatus()) << pair;
          EXPECT_EQ(at(absl::StrCat("made ", pair)), where) << pair;
          EXPECT_EQ(at(absl::StrCat("use ", pair)), where) << pair;
        }
        begin_anew();
      }
    }
  }
};

TEST_F(PlacerKinds, s179_of_variables_and_assignments_meet_where_both_have_a_kernel) {
  expect_all("Var", "Set", true);
}

TEST_F(PlacerKinds, s180_of_handles_and_their_users_meet_where_both_have_a_kernel) {
  expect_all("Handle", "Use", false);
}

TEST_F(PlacerGroups, s169_reach_through_values_only_where_references_go) {
  Out in = node("in", "Input");
  Out v = node("v", "VarCPU");
  Out w = node("w", "VarGPU");
  node("set_v", "Set", {v, in});
  node("set_w", "Set", {w, in});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeGPU:0");
  EXPECT_EQ(at("set_v"), "FakeCPU:0");
  EXPECT_EQ(at("set_w"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s181_with_handles_of_different_devices_are_refused) {
  node("both", "UseTwo",
       {node("a", "Handle", {}, "/device:FakeCPU:0"), node("c", "Handle", {}, "/device:FakeGPU:0")});
  for (bool soft : {false, true}) {
    EXPECT_THAT(
        refused(soft),
        HasSubstr("a reference or resource edge connects colocation groups with incompatible resource "
                  "devices: /device:FakeGPU:0 vs /device:FakeCPU:0. The edge src node is name='c' "
                  "(op='Handle'), and the dst node is name='both' (op='UseTwo')."));
  }
}

TEST_F(PlacerGroups, s181_with_handles_that_are_on_different_devices_are_refused) {
  node("both", "UseTwo", {node("a", "Handle"), node("c", "Handle")});
  assign("a", 0);
  assign("c", 2);
  EXPECT_THAT(refused(true), HasSubstr("incompatible assigned devices: "
                                       "/job:a/replica:0/task:0/device:FakeGPU:0 vs "
                                       "/job:a/replica:0/task:0/device:FakeCPU:0"));
}

TEST_F(PlacerGroups, s182_ignore_the_wish_of_a_consumer_that_the_variable_does_not_share) {
  node("set", "Set", {node("v", "Var", {}, "/device:FakeGPU:0"), node("x", "Input")}, "/device:FakeCPU:7");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("v"), "FakeGPU:0");
  EXPECT_EQ(at("set"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s183_go_where_the_source_asks_though_the_destination_asks_for_more) {
  node("set", "Set", {node("v", "Var", {}, "/device:FakeCPU:*"), node("x", "Input")},
       "/job:a/replica:0/task:0/device:FakeGPU:1");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("v"), "FakeCPU:0");
  EXPECT_EQ(at("set"), "FakeCPU:0");
}

TEST_F(PlacerGroups, s184_go_where_the_consumer_asks_when_the_source_does_not) {
  node("set", "Set", {node("v", "Var"), node("x", "Input")}, "/device:FakeCPU:1");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("v"), "FakeCPU:1");
  EXPECT_EQ(at("set"), "FakeCPU:1");
}

TEST_F(PlacerGroups, s186_are_what_a_class_names) {
  Out in = node("in", "Input", {}, "/device:FakeCPU:1");
  node("with_in", "Relu1", {in}, "", {"in"});
  node("free", "Relu1", {in});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("with_in"), "FakeCPU:1");
  EXPECT_EQ(at("free"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s187_become_one_when_a_node_names_several) {
  Out in = node("in", "Input");
  node("foo", "Relu1CPU", {in}, "", {"foo"});
  node("bar", "Relu1", {in}, "", {"bar"});
  node("both", "Relu1", {in}, "", {"foo", "bar"});
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"foo", "bar", "both"}) EXPECT_EQ(at(name), "FakeCPU:0") << name;
  EXPECT_EQ(at("in"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s188_are_chained) {
  Out in = node("in", "Input");
  node("a", "Relu1CPU", {in});
  node("c", "Relu1", {in}, "", {"a"});
  node("d", "Relu1", {in}, "", {"c"});
  node("e", "Relu1", {in}, "", {"d"});
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"a", "c", "d", "e"}) EXPECT_EQ(at(name), "FakeCPU:0") << name;
}

TEST_F(PlacerGroups, s189_without_a_common_device_are_refused_or_ignored) {
  Out in = node("in", "Input");
  node("cpu", "Relu1CPU", {in}, "", {"group"});
  node("gpu", "Relu1GPU", {in}, "", {"group"});
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("Cannot colocate nodes {{colocation_node gpu}} and {{colocation_node cpu}} "
                              "because no device type supports both of those nodes"),
                    HasSubstr("Relu1GPU: FakeGPU"), HasSubstr("Relu1CPU: FakeCPU")));
  ASSERT_EQ(decide(true), absl::OkStatus());
  EXPECT_EQ(at("cpu"), "FakeCPU:0");
  EXPECT_EQ(at("gpu"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s190_and_references_agree) {
  Out in = node("in", "Input");
  Out v = node("v", "VarCPU"), w = node("w", "VarCPU");
  node("set_v", "Set", {v, in}, "", {"v"});
  node("set_w", "Set", {w, in}, "", {"w"});
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"v", "w", "set_v", "set_w"}) EXPECT_EQ(at(name), "FakeCPU:0") << name;
  EXPECT_EQ(at("in"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s191_in_conflict_with_references_are_refused_or_ignored) {
  Out in = node("in", "Input");
  Out v = node("v", "VarCPU"), w = node("w", "VarGPU");
  node("set_v", "Set", {v, in}, "", {"v"});
  node("set_w", "Set", {w, in}, "", {"v"});
  EXPECT_THAT(
      refused(),
      AllOf(HasSubstr("Cannot colocate nodes {{colocation_node set_w}} and {{colocation_node v}} because no "
                      "device type supports both of those nodes and the other nodes colocated with them."),
            HasSubstr("[[{{node set_w}}]]")));
  ASSERT_EQ(decide(true), absl::OkStatus());
  EXPECT_EQ(at("set_v"), "FakeCPU:0");
  EXPECT_EQ(at("set_w"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s192_of_groups_and_references_are_one) {
  Out in = node("in", "Input");
  Out v = node("v", "VarCPU"), w = node("w", "Var"), x = node("x", "Var");
  node("set_v", "Set", {v, in}, "", {"group_a"});
  node("set_w", "Set", {w, in}, "", {"group_a", "group_b"});
  node("relu", "Relu1", {in}, "", {"group_b"});
  node("set_x", "Set", {x, in}, "", {"relu"});
  node("apart", "Set", {node("y", "Var"), in}, "", {"group_c"});
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"v", "w", "x", "set_v", "set_w", "set_x", "relu"})
    EXPECT_EQ(at(name), "FakeCPU:0") << name;
  EXPECT_EQ(at("apart"), "FakeGPU:0");
  EXPECT_EQ(at("y"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s213_that_references_make_impossible_are_refused) {
  Out in = node("in", "Input");
  Out v = node("v", "VarCPU");
  node("set_v", "SetGPU", {v, in});
  for (bool soft : {false, true}) {
    EXPECT_THAT(refused(soft), AllOf(HasSubstr("Cannot colocate nodes"), HasSubstr("{{colocation_node v}}"),
                                     HasSubstr("{{colocation_node set_v}}")));
  }
}

TEST_F(PlacerGroups, s216_whose_members_ask_for_different_types_are_refused_or_give_way) {
  Out in = node("in", "Input");
  node("a", "Relu1", {in}, "/device:FakeCPU:0", {"group"});
  node("c", "Relu1", {in}, "/device:FakeGPU:0", {"group"});
  EXPECT_THAT(refused(),
              HasSubstr("Cannot colocate nodes {{colocation_node c}} and {{colocation_node a}}: Cannot "
                        "merge devices with incompatible types: '/device:FakeGPU:0' and "
                        "'/device:FakeCPU:0'"));
  ASSERT_EQ(decide(true), absl::OkStatus());
  EXPECT_EQ(at("a"), "FakeGPU:0");
  EXPECT_EQ(at("c"), "FakeGPU:0");
}

TEST_F(PlacerGroups, s217_override_what_members_ask_for_by_what_a_resource_asks_for) {
  Out h = node("h", "Handle", {}, "/device:FakeCPU:1");
  node("use", "Use", {h}, "/device:FakeGPU:0");
  node("mate", "Input", {}, "/device:FakeGPU:1", {"use"});
  EXPECT_THAT(refused(),
              HasSubstr("Cannot colocate nodes {{colocation_node mate}} and {{colocation_node use}}"));
  ASSERT_EQ(decide(true), absl::OkStatus());
  for (const char* name : {"h", "use", "mate"}) EXPECT_EQ(at(name), "FakeCPU:1") << name;
}

TEST_F(PlacerGroups, s218_are_where_a_member_is_already) {
  Out in = node("in", "Input");
  Out h = node("h", "Handle");
  node("use", "Use", {h}, "/device:FakeGPU:0");
  node("there", "Relu1", {in});
  node("mate", "Relu1", {in}, "", {"there"});
  node("soft_mate", "Relu1", {in}, "/device:FakeGPU:0", {"there"});
  assign("h", 1);
  assign("there", 1);
  ASSERT_EQ(decide(true), absl::OkStatus());
  for (const char* name : {"use", "mate", "soft_mate"}) EXPECT_EQ(at(name), "FakeCPU:1") << name;
}

TEST_F(PlacerGroups, s219_of_what_is_there_and_what_asks_let_the_former_decide) {
  struct Case {
    const char* leader_asks;
    int leader_is;
    const char* mate_asks;
    int mate_is;
    const char *refusal, *leader, *mate;
  };
  const Case cases[] = {
      {"/device:FakeGPU:0", -1, "/device:FakeCPU:0", -1, "Cannot colocate nodes", "FakeGPU:0", "FakeGPU:0"},
      {"", 2, "/device:FakeCPU:0", -1, "Cannot colocate nodes", "FakeGPU:0", "FakeGPU:0"},
      {"", 2, "", -1, "", "FakeGPU:0", "FakeGPU:0"},
      {"", 0, "", 2, "", "FakeCPU:0", "FakeGPU:0"},
  };
  for (const Case& c : cases) {
    Out in = node("in", "Input");
    node("leader", "Relu1", {in}, c.leader_asks);
    node("mate", "Relu1", {in}, c.mate_asks, {"leader"});
    assign("leader", c.leader_is);
    assign("mate", c.mate_is);
    if (*c.refusal != '\0') {
      EXPECT_THAT(refused(), HasSubstr(c.refusal));
    } else {
      EXPECT_EQ(decide(), absl::OkStatus());
    }
    ASSERT_EQ(decide(true), absl::OkStatus());
    EXPECT_EQ(at("leader"), c.leader);
    EXPECT_EQ(at("mate"), c.mate);
    begin_anew();
  }
}

TEST_F(PlacerGroups, of_datasets_are_where_the_first_is) {
  const std::vector<DataType> types{DataType::kInt64};
  const std::vector<PartialShape> shapes{PartialShape(Shape())};
  auto one = [&] { return b->constant(Tensor::scalar<int64_t>(1)); };
  Out range, batch;
  {
    auto there = b->device("/device:FakeCPU:1");
    range = b->op("RangeDataset", {one(), one(), one()}, {{"output_types", types}, {"output_shapes", shapes}},
                  "range");
  }
  {
    auto there = b->device("/device:FakeCPU:0");
    batch = b->op("BatchDatasetV2", {range, one(), b->constant(Tensor::scalar<bool>(false))},
                  {{"output_types", types}, {"output_shapes", shapes}}, "batch");
    b->op("DatasetCardinality", {batch}, {}, "count");
  }
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("batch"), "FakeCPU:1");
  EXPECT_EQ(at("count"), "FakeCPU:0") << "takes a dataset and is none";
}

}  // namespace
}  // namespace troupe::test
