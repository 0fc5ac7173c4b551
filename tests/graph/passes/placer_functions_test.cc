// Resources that functions take, make and return: where those who use them are.
#include "graph/passes/planner.h"
#include "tests/graph/passes/function_graphs.h"
#include "tests/graph/passes/placer_testing.h"

namespace troupe::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A function whose arguments and results of names that begin with 'x' or 'y' are floats, the others resources.
std::string function_text(const std::string& name, const std::vector<std::string>& args,
                          const std::vector<std::pair<std::string, std::string>>& results,
                          const std::string& body, const std::string& more = "") {
  auto arg = [](const std::string& n) {
    return " { name: '" + n + "' type: " + (n[0] == 'x' || n[0] == 'y' ? "DT_FLOAT" : "DT_RESOURCE") + " }";
  };
  std::string text = "function { signature { name: '" + name + "'";
  for (const std::string& a : args) text += " input_arg" + arg(a);
  for (const auto& [r, value] : results) text += " output_arg" + arg(r);
  text += " }" + body + more;
  for (const auto& [r, value] : results) text += " ret { key: '" + r + "' value: '" + value + "' }";
  return text + " }\n";
}

std::string library_text(const std::string& functions) { return "library { " + functions + "}\n"; }

std::string node_text(const std::string& field, const std::string& name, const std::string& op,
                      const std::vector<std::string>& inputs, const std::string& device = "") {
  std::string text = field + " { name: '" + name + "' op: '" + op + "' device: '" + device + "'";
  for (const std::string& i : inputs) text += " input: '" + i + "'";
  return text + " }\n";
}
std::string in_body(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                    const std::string& device = "") {
  return node_text(" node_def", name, op, inputs, device);
}

const std::string kFunctionsOfResources = library_text(
    function_text("Through", {"h", "x"}, {{"r", "p:o:0"}, {"y", "relu:o:0"}},
                  in_body("p", "Pass", {"h"}) + in_body("relu", "Relu1", {"x"})) +
    function_text("TwoThrough", {"h", "i"}, {{"r", "p:o:0"}, {"s", "q:o:0"}},
                  in_body("p", "Pass", {"h"}) + in_body("q", "Pass", {"i"})) +
    function_text("Joined", {"h", "i"}, {{"r", "j:o:0"}}, in_body("j", "Join", {"h", "i"})) +
    function_text("OnCpu", {"h"}, {{"r", "p:o:0"}}, in_body("p", "PassCPU", {"h"})) +
    function_text("Deep", {"h"}, {{"r", "c:r:0"}}, in_body("c", "OnCpu", {"h"})) +
    function_text("Deeper", {"h"}, {{"r", "d:r:0"}}, in_body("d", "Deep", {"h"})) +
    function_text("DeepJoined", {"h", "i"}, {{"r", "c:r:0"}}, in_body("c", "Joined", {"h", "i"})) +
    function_text("BackToBack", {"h", "i"}, {{"r", "g:r:0"}},
                  in_body("f", "Through", {"h", "c:o:0"}) + in_body("c", "Generator", {}) +
                      in_body("g", "Joined", {"f:r:0", "i"})) +
    function_text("Makes", {}, {{"r", "h:o:0"}}, in_body("h", "Handle", {})) +
    function_text("MakesOnCpu", {}, {{"r", "h:o:0"}}, in_body("h", "Handle", {}, "/device:FakeCPU:1")) +
    function_text("MakesTwo", {}, {{"r", "h:o:0"}, {"s", "i:o:0"}},
                  in_body("h", "Handle", {}) + in_body("i", "Handle", {})) +
    function_text("JoinsItsOwn", {"h"}, {{"r", "j:o:0"}},
                  in_body("own", "Handle", {}, "/device:FakeCPU:0") +
                      in_body("j", "Join", {"h", "own:o:0"})) +
    function_text("Called", {}, {{"r", "h:o:0"}}, in_body("h", "Handle", {}),
                  " attr { key: '_noinline' value { b: true } }") +
    function_text("CalledOnCpu", {}, {{"r", "h:o:0"}}, in_body("h", "Handle", {}, "/device:FakeCPU:1"),
                  " attr { key: '_noinline' value { b: true } }") +
    function_text("CallsCalled", {}, {{"r", "c:r:0"}}, in_body("c", "Called", {})) +
    function_text("Gone", {}, {{"r", "h:o:0"}}, in_body("h", "NoSuchOp", {})) +
    function_text("Recursive", {"h"}, {{"r", "p:o:0"}},
                  in_body("again", "Recursive", {"h"}) + in_body("p", "Pass", {"again:r:0"})) +
    function_text("Mutual", {"h"}, {{"r", "c:r:0"}}, in_body("c", "Mutual2", {"h"})) +
    function_text("Mutual2", {"h"}, {{"r", "c:r:0"}}, in_body("c", "Mutual", {"h"})));

const char* const kCpu = "/device:FakeCPU:0";
const char* const kGpu = "/device:FakeGPU:0";

class PlacerFunctions : public PlacerTest {
 protected:
  void add(const std::string& name, const std::string& op, const std::vector<std::string>& inputs = {},
           const std::string& device = "") {
    text_ += node_text("node", name, op, inputs, device);
  }
  /// Whole when the session's graph comes, then what was added since.
  absl::Status decide(bool soft = false) {
    google::protobuf::TextFormat::Parser parser;
    pb::GraphDef def;
    EXPECT_TRUE(parser.ParseFromString(text_ + (graph_.num_ids() == 0 ? kFunctionsOfResources : ""), &def));
    text_.clear();
    def.mutable_versions()->set_producer(1882);
    const absl::Status imported = import_graph_def(def, {}, &graph_);
    EXPECT_TRUE(imported.ok()) << imported;
    return placement_.extend(devices, soft, graph_);
  }
  std::string refused(bool soft = false) { return message_of(decide(soft)); }
  std::string at(const std::string& name) const {
    return text_of(placement_.device_of(graph_.find(name)->id));
  }
  /// Where a node is in the plan of that fetch, when functions have been inlined.
  std::string planned(const std::string& name, const std::string& fetch) const {
    PlanOptions options;
    options.placement = &placement_;
    auto plan = make_plan(graph_, {{}, {fetch}, {}}, devices, nullptr, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    for (const PlanPartition& p : plan->partitions) {
      if (p.graph.find(name) != nullptr) return text_of(p.device);
    }
    return "not there";
  }

  Graph graph_{&ops_};
  Placement placement_;
  std::string text_;
};

TEST_F(PlacerFunctions, s220_return_a_resource_where_it_is) {
  add("x", "Generator", {}, kGpu);
  add("h", "Handle", {}, kCpu);
  add("f", "Through", {"h", "x"}, kGpu);
  add("use", "Use", {"f"});
  add("relu", "Relu1", {"f:1"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("h"), "FakeCPU:0");
  EXPECT_EQ(at("use"), "FakeCPU:0");
  EXPECT_EQ(at("relu"), "FakeGPU:0");
  EXPECT_EQ(planned("f/p", "use"), "FakeCPU:0");
  EXPECT_EQ(planned("f/relu", "relu"), "FakeGPU:0");
}

TEST_F(PlacerFunctions, s220_return_a_resource_of_their_own_where_they_made_it) {
  add("f", "MakesOnCpu");
  add("use", "Use", {"f"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("use"), "FakeCPU:1");
  EXPECT_EQ(planned("f/h", "use"), "FakeCPU:1");
}

TEST_F(PlacerFunctions, s221_return_a_resource_where_it_is_through_others) {
  add("x", "Generator", {}, kGpu);
  add("h", "Handle", {}, kCpu);
  add("before", "Pass", {"h"});
  add("f", "Through", {"before", "x"}, kGpu);
  add("after", "Pass", {"f"});
  add("use", "Use", {"after"});
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"before", "after", "use"}) EXPECT_EQ(at(name), "FakeCPU:0") << name;
}

TEST_F(PlacerFunctions, s222_return_a_resource_where_it_is_whatever_its_user_asks_for) {
  add("x", "Generator", {}, kGpu);
  add("h", "Handle", {}, kCpu);
  add("f", "Through", {"h", "x"}, kGpu);
  add("use", "Use", {"f"}, kGpu);
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("use"), "FakeCPU:0");
}

TEST_F(PlacerFunctions, s223_return_each_resource_where_it_is) {
  add("h", "Handle", {}, kCpu);
  add("i", "Handle", {}, kGpu);
  add("f", "TwoThrough", {"h", "i"}, kGpu);
  add("use_h", "Use", {"f:0"});
  add("use_i", "Use", {"f:1"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("use_h"), "FakeCPU:0");
  EXPECT_EQ(at("use_i"), "FakeGPU:0");
  EXPECT_EQ(planned("f/q", "use_i"), "FakeGPU:0");
}

TEST_F(PlacerFunctions, s224_return_each_resource_where_it_is_though_they_are_called_elsewhere) {
  add("h", "Handle", {}, kCpu);
  add("i", "Handle", {}, kGpu);
  add("f", "TwoThrough", {"h", "i"}, kCpu);
  add("use_h", "Use", {"f:0"});
  add("use_i", "Use", {"f:1"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("use_h"), "FakeCPU:0");
  EXPECT_EQ(at("use_i"), "FakeGPU:0");
}

TEST_F(PlacerFunctions, s225_leave_a_resource_that_asks_for_nothing_where_it_is_best) {
  add("h", "Handle", {}, kCpu);
  add("i", "Handle");
  add("f", "TwoThrough", {"h", "i"}, kGpu);
  add("use_h", "Use", {"f:0"});
  add("use_i", "Use", {"f:1"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("use_h"), "FakeCPU:0");
  EXPECT_EQ(at("i"), "FakeGPU:0");
  EXPECT_EQ(at("use_i"), "FakeGPU:0");
}

TEST_F(PlacerFunctions, s226_take_a_resource_that_asks_for_nothing_to_where_its_user_can_be) {
  add("h", "Handle");
  add("i", "Handle");
  add("f", "TwoThrough", {"h", "i"});
  add("use_h", "UseCPU", {"f:0"});
  add("use_i", "Use", {"f:1"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("h"), "FakeCPU:0");
  EXPECT_EQ(at("use_h"), "FakeCPU:0");
  EXPECT_EQ(at("i"), "FakeGPU:0");
}

TEST_F(PlacerFunctions, s227_return_a_resource_to_several) {
  add("h", "Handle");
  add("i", "Handle", {}, kGpu);
  add("f", "TwoThrough", {"h", "i"});
  add("one", "Use", {"f"}, kGpu);
  add("two", "UseCPU", {"f"});
  add("three", "Use", {"f:1"});
  EXPECT_THAT(refused(), HasSubstr("Could not satisfy explicit device specification"));
  graph_ = Graph(&ops_);
  add("h", "Handle");
  add("i", "Handle", {}, kGpu);
  add("f", "TwoThrough", {"h", "i"});
  add("one", "Use", {"f"}, kCpu);
  add("two", "UseCPU", {"f"});
  add("three", "Use", {"f:1"});
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"h", "one", "two"}) EXPECT_EQ(at(name), "FakeCPU:0") << name;
  EXPECT_EQ(at("three"), "FakeGPU:0");
}

TEST_F(PlacerFunctions, s228_s229_take_one_resource_twice) {
  add("h", "Handle");
  add("f", "TwoThrough", {"h", "h"});
  add("one", "UseCPU", {"f:0"});
  add("two", "Use", {"f:1"});
  add("three", "Use", {"f:1"});
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"h", "one", "two", "three"}) EXPECT_EQ(at(name), "FakeCPU:0") << name;
}

TEST_F(PlacerFunctions, s230_that_take_one_resource_twice_do_not_return_it_to_users_apart) {
  add("h", "Handle");
  add("f", "TwoThrough", {"h", "h"});
  add("one", "UseCPU", {"f:0"});
  add("two", "UseGPU", {"f:1"});
  EXPECT_THAT(refused(), AllOf(HasSubstr("Nodes were connected by a reference or resource connection"),
                               HasSubstr("no device type supports both of those nodes")));
}

TEST_F(PlacerFunctions, s231_s232_override_what_the_destination_of_a_resource_asks_for) {
  add("h", "Handle", {}, kCpu);
  add("pass", "Pass", {"h"}, kGpu);
  add("f", "OnCpu", {"pass"}, kGpu);
  add("after", "Pass", {"f"}, kGpu);
  add("use", "Use", {"after"}, "/device:FakeGPU:1");
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"h", "pass", "after", "use"}) EXPECT_EQ(at(name), "FakeCPU:0") << name;
  EXPECT_EQ(planned("f/p", "use"), "FakeCPU:0");
}

TEST_F(PlacerFunctions, s233_s234_that_join_resources_of_different_devices_are_refused) {
  for (const char* function : {"Joined", "DeepJoined"}) {
    for (bool soft : {false, true}) {
      graph_ = Graph(&ops_);
      add("h", "Handle", {}, kCpu);
      add("i", "Handle", {}, kGpu);
      add("f", function, {"h", "i"});
      add("use", "Use", {"f"});
      EXPECT_THAT(refused(soft),
                  HasSubstr(absl::StrCat(
                      "a reference or resource edge connects colocation groups with incompatible "
                      "resource devices: /device:FakeGPU:0 vs /device:FakeCPU:0. The edge src node "
                      "is name='i' (op='Handle'), and the dst node is name='f' (op='",
                      function, "').")));
    }
  }
}

TEST_F(PlacerFunctions, s234_that_join_a_resource_of_their_own_to_one_of_another_device_are_refused) {
  add("h", "Handle", {}, kGpu);
  add("f", "JoinsItsOwn", {"h"});
  EXPECT_THAT(refused(), HasSubstr("incompatible resource devices: /device:FakeGPU:0 vs /device:FakeCPU:0"));
}

TEST_F(PlacerFunctions, s235_s236_that_are_for_cpus_deep_inside_keep_their_resources_there) {
  for (const char* function : {"OnCpu", "Deep", "Deeper"}) {
    graph_ = Graph(&ops_);
    placement_ = Placement();
    add("h", "Handle");
    add("f", function, {"h"});
    add("use", "Use", {"f"});
    ASSERT_EQ(decide(), absl::OkStatus()) << function;
    EXPECT_EQ(at("h"), "FakeCPU:0") << function;
    EXPECT_EQ(at("use"), "FakeCPU:0") << function;
  }
}

TEST_F(PlacerFunctions, s237_one_after_the_other_that_join_resources_of_different_devices_are_refused) {
  add("x", "Generator");
  add("h", "Handle", {}, kCpu);
  add("i", "Handle", {}, kGpu);
  add("f", "Through", {"h", "x"});
  add("g", "Joined", {"f", "i"});
  add("use", "Use", {"g"});
  EXPECT_THAT(refused(), HasSubstr("incompatible resource devices: /device:FakeGPU:0 vs /device:FakeCPU:0"));
}

TEST_F(PlacerFunctions, s238_one_after_the_other_inside_of_one_are_refused_as_well) {
  add("h", "Handle", {}, kCpu);
  add("i", "Handle", {}, kGpu);
  add("f", "BackToBack", {"h", "i"});
  EXPECT_THAT(refused(), HasSubstr("incompatible resource devices: /device:FakeGPU:0 vs /device:FakeCPU:0"));
}

TEST_F(PlacerFunctions, s239_s240_that_are_recursive_leave_their_users_to_the_signature) {
  add("h", "Handle", {}, kCpu);
  add("f", "Recursive", {"h"});
  add("g", "Mutual", {"h"});
  add("use_f", "Use", {"f"});
  add("use_g", "Use", {"g"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("use_f"), "nowhere");
  EXPECT_EQ(at("use_g"), "nowhere");
  EXPECT_NE(planned("use_f", "use_f"), "not there");
}

TEST_F(PlacerFunctions, that_are_inlined_make_resources_where_each_user_wants_them) {
  add("f", "MakesTwo");
  add("one", "Use", {"f:0"}, "/device:FakeCPU:1");
  add("two", "Use", {"f:1"}, kGpu);
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("one"), "FakeCPU:1");
  EXPECT_EQ(at("two"), "FakeGPU:0");
  EXPECT_EQ(planned("f/h", "one"), "FakeCPU:1");
}

TEST_F(PlacerFunctions, that_are_called_make_resources_where_they_are_called) {
  for (const char* function : {"Called", "CallsCalled"}) {
    graph_ = Graph(&ops_);
    placement_ = Placement();
    add("f", function);
    add("g", function, {}, "/device:FakeGPU:1");
    add("use_f", "Use", {"f"}, "/device:FakeCPU:1");
    add("use_g", "Use", {"g"});
    ASSERT_EQ(decide(), absl::OkStatus());
    const std::string call = function == std::string("Called") ? "" : "/c";
    EXPECT_EQ(at("use_f"), "FakeCPU:1");
    EXPECT_EQ(planned("f" + call, "use_f"), "FakeCPU:1") << function;
    EXPECT_EQ(at("use_g"), "FakeGPU:1");
    EXPECT_EQ(planned("g" + call, "use_g"), "FakeGPU:1") << function;
  }
}

TEST_F(PlacerFunctions, that_are_called_make_resources_where_they_say) {
  add("f", "CalledOnCpu", {}, kGpu);
  add("use", "Use", {"f"}, kGpu);
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("use"), "FakeCPU:1");
  EXPECT_EQ(planned("f", "use"), "FakeGPU:0");
}

TEST_F(PlacerFunctions, return_to_users_that_come_later_what_is_where_it_is) {
  add("f", "Makes");
  add("one", "Use", {"f"}, "/device:FakeCPU:1");
  add("alone", "Makes");
  ASSERT_EQ(decide(), absl::OkStatus());
  add("two", "Use", {"f"}, kGpu);
  add("three", "Use", {"alone"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("two"), "FakeCPU:1");
  EXPECT_EQ(at("three"), "FakeGPU:0");
  add("i", "Handle", {}, kGpu);
  add("both", "UseTwo", {"f", "i"});
  EXPECT_THAT(refused(), HasSubstr("incompatible"));
}

TEST_F(PlacerFunctions, that_are_broken_are_told_to_who_runs_them) {
  add("f", "Gone");
  add("use", "Use", {"f"});
  EXPECT_EQ(decide(), absl::OkStatus());
}

}  // namespace
}  // namespace troupe::test
