#include "graph/passes/planner.h"

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"
#include "graph/passes/pass.h"
#include "graph/passes/place.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

/// Two CPUs that can do everything.
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

/// Evaluates nothing.
class Idle final : public Evaluator {
 public:
  bool can_evaluate(const Node&) const override { return false; }
  absl::StatusOr<std::vector<Tensor>> evaluate(const Node&, const std::vector<Tensor>&, int) const override {
    return absl::InternalError("not asked for");
  }
};

class Planner : public testing::Test {
 protected:
  absl::StatusOr<Plan> plan(const PlanSignature& signature, const PlanOptions& options = {}) {
    return make_plan(b.graph(), signature, devices, &idle, options);
  }
  /// The message of a plan that cannot be.
  std::string refused(const PlanSignature& signature) {
    return std::string(plan(signature).status().message());
  }
  void import(const std::string& nodes) {
    absl::Status s =
        import_graph_def(test::with_functions(nodes), {.mode = ImportOptions::Mode::kImport}, &imported);
    EXPECT_TRUE(s.ok()) << s;
  }
  static const Node* find(const Plan& plan, const std::string& name) {
    for (const PlanPartition& p : plan.partitions) {
      if (const Node* n = p.graph.find(name)) return n;
    }
    return nullptr;
  }
  static int device_of(const Plan& plan, const std::string& name) {
    for (const PlanPartition& p : plan.partitions) {
      if (p.graph.find(name) != nullptr) return p.device;
    }
    return -1;
  }
  static std::vector<std::string> controls_of(const Plan& plan, const std::string& name) {
    std::vector<std::string> names;
    for (const PlanPartition& p : plan.partitions) {
      const Node* n = p.graph.find(name);
      if (n == nullptr) continue;
      for (int c : n->control_inputs) names.push_back(p.graph.node(c).name);
    }
    return names;
  }

  GraphBuilder b;
  Graph imported;
  TwoDevices devices;
  Idle idle;
};

TEST_F(Planner, ends_between_passes_when_nobody_wants_the_plan_any_more) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.neg(x, "y");
  int asked = 0, most = 1000;
  PlanOptions options;
  options.stopped = [&] { return ++asked > most ? absl::CancelledError("closed") : absl::OkStatus(); };
  ASSERT_TRUE(plan({{"x"}, {"y"}, {}}, options).ok());
  const int times = asked;
  EXPECT_GE(times, 5) << "before each pass, and behind the last";
  for (most = 0; most < times; ++most) {
    asked = 0;
    EXPECT_EQ(plan({{"x"}, {"y"}, {}}, options).status(), absl::CancelledError("closed")) << most;
    EXPECT_EQ(asked, most + 1) << "it ends where it is told to";
  }
}

TEST_F(Planner, says_what_each_pass_did) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.add(b.neg(x), b.neg(x), "y");
  std::vector<std::string> log, observed;
  PlanOptions options;
  options.log = &log;
  options.observer = [&](const PassStats& s, const Graph& after) {
    observed.push_back(s.pass);
    EXPECT_EQ(s.nodes_after, after.num_nodes());
  };
  ASSERT_TRUE(plan({{"x"}, {"y"}, {}}, options).ok());
  EXPECT_THAT(observed, ElementsAre("rewrite_signature", "inline_functions", "pin_to_client", "place",
                                    "constant_folding", "take_known_branches", "rewrite_arithmetic",
                                    "common_subexpressions", "drop_unread", "bypass_identities", "prune",
                                    "fuse_products", "fuse_elementwise"));
  EXPECT_THAT(log, testing::IsSupersetOf(
                       {"common_subexpressions: 5 -> 4 nodes; merged 1", "prune: 4 -> 4 nodes; removed 0"}));
  observed.clear();
  options.optimize = false;
  ASSERT_TRUE(plan({{"x"}, {"y"}, {}}, options).ok());
  EXPECT_THAT(observed, testing::IsSupersetOf({"inline_functions", "place"}));
  EXPECT_THAT(observed, testing::Not(testing::Contains("constant_folding")));
  EXPECT_THAT(observed, testing::Not(testing::Contains("prune"))) << "nothing was left over";
}

TEST_F(Planner, tells_of_the_nodes_that_it_placed_itself) {
  b.placeholder(DataType::kFloat, {}, "x");
  Out x = b.placeholder(DataType::kFloat, {}, "unfed");
  {
    auto there = b.device("/cpu:1");
    b.neg(x, "there");
  }
  b.neg(x, "here");
  std::vector<std::string> told;
  PlanOptions options;
  options.placed = [&](const Node& n) { told.push_back(absl::StrCat(n.name, " on ", n.device)); };
  ASSERT_TRUE(plan({{"unfed"}, {}, {"here", "there"}}, options).ok());
  EXPECT_THAT(told, testing::IsSupersetOf({"here on 0", "there on 1"}));
}

TEST_F(Planner, takes_only_what_the_signature_needs) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out y = b.neg(x, "y");
  b.neg(y, "z");
  b.neg(b.placeholder(DataType::kFloat, {}, "other"), "unwanted");
  auto needed = plan({{"y", "other"}, {"z"}, {}});
  ASSERT_TRUE(needed.ok()) << needed.status();
  EXPECT_EQ(find(*needed, "x"), nullptr) << "it is behind what is fed";
  EXPECT_EQ(find(*needed, "y"), nullptr);
  EXPECT_EQ(find(*needed, "unwanted"), nullptr);
  EXPECT_NE(find(*needed, "_arg_y_0_0"), nullptr);
  EXPECT_EQ(find(*needed, "_arg_other_0_1"), nullptr) << "a feed that nobody needs";
  EXPECT_THAT(needed->feed_types, ElementsAre(DataType::kFloat, DataType::kFloat));
  EXPECT_THAT(needed->fetch_types, ElementsAre(DataType::kFloat));
}

TEST_F(Planner, lets_a_fed_placeholder_stand_for_itself_in_control_edges_and_no_other_node) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), one = b.constant(1.0f, "one");
  Out y = b.neg(one, "y");
  {
    auto after = b.control({x, y});
    b.op("NoOp", {}, {}, "last");
  }
  auto fed = plan({{"x", "y"}, {}, {"last"}}, {.optimize = false});
  ASSERT_TRUE(fed.ok()) << fed.status();
  EXPECT_THAT(controls_of(*fed, "last"), UnorderedElementsAre("_arg_x_0_0", "y"));
  EXPECT_EQ(find(*fed, "x"), nullptr);
  EXPECT_NE(find(*fed, "one"), nullptr) << "y runs, though its output is fed";
}

TEST_F(Planner, hands_the_value_of_one_tensor_to_those_who_use_another) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), y = b.placeholder(DataType::kFloat, {}, "y");
  b.neg(x, "from");
  b.neg(y, "end");
  PlanSignature signature{{"x"}, {"end"}, {}};
  signature.connections = {{"from", "y"}};
  auto joined = plan(signature, {.optimize = false});
  ASSERT_TRUE(joined.ok()) << joined.status();
  const Node* identity = find(*joined, "_identity_y_0_1");
  ASSERT_NE(identity, nullptr);
  EXPECT_NE(find(*joined, "from"), nullptr);
  EXPECT_EQ(find(*joined, "y"), nullptr);

  signature.connections = {{"end", "y"}};
  EXPECT_EQ(refused(signature),
            "Requested Tensor connection between nodes \"y\" and \"end\" would create a cycle.");
  signature.connections = {{"nobody", "y"}};
  EXPECT_EQ(refused(signature), "Requested tensor connection from unknown node: \"nobody\".");
  signature.connections = {{"from:1", "y"}};
  EXPECT_EQ(refused(signature), "Requested tensor connection from unknown edge: \"from:1\".");
  signature.connections = {{"from", "nobody"}};
  EXPECT_EQ(refused(signature), "FeedInputs: unable to find feed output nobody");
  signature.connections = {{"from", "y"}, {"from", "y"}};
  EXPECT_EQ(refused(signature), "Endpoint \"y\" fed more than once.");
}

TEST_F(Planner, s125_names_what_a_signature_has_wrong) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.neg(x, "y");
  b.op("NoOp", {}, {}, "nothing");
  EXPECT_THAT(refused({{}, {}, {}}), HasSubstr("at least one target to fetch or execute"));
  EXPECT_EQ(refused({{"x", "x"}, {"y"}, {}}), "Endpoint \"x\" fed more than once.");
  EXPECT_EQ(refused({{"x"}, {"x"}, {}}), "x is both fed and fetched.");
  EXPECT_THAT(refused({{"nobody"}, {"y"}, {}}),
              HasSubstr("Tensor nobody:0, specified in either feed_devices"));
  EXPECT_THAT(refused({{"x"}, {"^y"}, {}}),
              HasSubstr("Node 'y' (type: 'Neg', num of outputs: 1) does not have output"));
  EXPECT_THAT(refused({{"x"}, {"y:1"}, {}}), HasSubstr("does not have output 1"));
  EXPECT_THAT(refused({{"x"}, {}, {"gone", "y", "lost"}}),
              HasSubstr("Some target nodes not found: gone lost "));
  PlanSignature partial{{"x"}, {"nothing"}, {}, true};
  EXPECT_THAT(refused(partial), HasSubstr("Tried to fetch data for 'nothing', which produces no output."));
  partial.fetches = {"y:1"};
  EXPECT_EQ(refused(partial), "FetchOutputs y:1: output index too large, must be < 1");
  partial.fetches = {"nobody"};
  EXPECT_EQ(refused(partial), "FetchOutputs node nobody: not found");
  partial = {{"x:1"}, {"y"}, {}, true};
  EXPECT_EQ(refused(partial), "FeedInputs: x:1 should have output index < 1");
  partial = {{"nobody"}, {"y"}, {}, true};
  EXPECT_EQ(refused(partial), "FeedInputs: unable to find feed output nobody");
  partial = {{"x"}, {"x"}, {}, true};
  EXPECT_EQ(refused(partial), "x is both fed and fetched.");
}

TEST_F(Planner, names_the_transfers_of_a_partial_run_apart) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.neg(x, "y");
  auto partial = plan({{"x"}, {"y", "y:0"}, {}, true});
  ASSERT_TRUE(partial.ok()) << partial.status();
  EXPECT_NE(find(*partial, "_recv_x_0"), nullptr);
  EXPECT_NE(find(*partial, "_send_y_0"), nullptr);
  EXPECT_NE(find(*partial, "_send_y_0_1"), nullptr) << "the same tensor by another spelling";
}

TEST_F(Planner, s135_refuses_a_graph_that_is_not_complete) {
  const std::string text =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } node { name: "
      "'sum' op: "
      "'AddN' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'N' value { i: 2 } } } node "
      "{ name: "
      "'use' op: 'Neg' input: 'sum' device: '/cpu:1' attr { key: 'T' value { type: DT_FLOAT } } }";
  ASSERT_TRUE(import_graph_def(test::with_functions(text), {}, &imported).ok());
  auto incomplete = make_plan(imported, {{"x"}, {"use"}, {}}, devices, &idle, {});
  EXPECT_EQ(incomplete.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(incomplete.status().message()),
              HasSubstr("Incomplete graph, missing 1 inputs for sum"));
  EXPECT_TRUE(make_plan(imported, {{"sum"}, {"use"}, {}}, devices, &idle, {}).ok()) << "it is not needed";
}

TEST_F(Planner, leaves_alone_what_nobody_may_replace) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out one = b.neg(x, "one");
  b.add(one, b.neg(x, "other"), "y");
  PlanOptions options;
  options.may_replace = [](const Node& n) { return n.name != "other"; };
  auto kept = plan({{"x"}, {"y"}, {}}, options);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_NE(find(*kept, "other"), nullptr);
  auto merged = plan({{"x"}, {"y"}, {}});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(find(*merged, "other"), nullptr);
}

TEST_F(Planner, has_the_ends_of_a_loop_where_its_values_are) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out there;
  {
    auto on = b.device("/cpu:1");
    there = b.op("Enter", {x}, {{"frame_name", "f"}}, "enter");
  }
  Out inside = b.neg(there, "inside");
  b.op("Exit", {inside}, {}, "out");
  auto whole = plan({{"x"}, {"out"}, {}}, {.optimize = false});
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(device_of(*whole, "enter"), 0);
  EXPECT_EQ(whole->partitions.size(), 1u) << "nothing is left of the other";
}

// --- functions ---

const std::string kMixed = R"(
  library { function {
    signature { name: "Mixed" input_arg { name: "v" type: DT_RESOURCE } input_arg { name: "x" type: DT_FLOAT }
                output_arg { name: "y" type: DT_FLOAT } is_stateful: true }
    node_def { name: "first" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "bump" op: "AssignAddVariableOp" input: "v" input: "x" attr { key: "dtype" value { type: DT_FLOAT } } }
    node_def { name: "there" op: "Neg" input: "x" device: "/cpu:1" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "tail" op: "Neg" input: "there:y:0" input: "^x" input: "^first" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "idle" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "tail:y:0" }
  } }
)";

TEST_F(Planner, s143_plans_a_function_for_its_caller) {
  import(kMixed);
  const std::string here = devices.entries()[0].name, there = devices.entries()[1].name;
  FunctionInstance instance{{"Mixed", nullptr}, here, {there}};
  auto plan = plan_function(imported, instance, devices, &idle, {.optimize = false});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->feed_types, ElementsAre(DataType::kResource, DataType::kFloat));
  EXPECT_THAT(plan->fetch_types, ElementsAre(DataType::kFloat));
  EXPECT_EQ(device_of(*plan, "v"), 1) << "resources stay where they are";
  EXPECT_EQ(device_of(*plan, "bump"), 1) << "and an effect stays, though nothing waits for it";
  EXPECT_EQ(device_of(*plan, "x"), 0);
  EXPECT_EQ(device_of(*plan, "first"), 0) << "where the caller is";
  EXPECT_EQ(device_of(*plan, "there"), 1) << "where it asks to be";
  EXPECT_EQ(device_of(*plan, "y_RetVal"), 0);
  EXPECT_THAT(controls_of(*plan, "tail"), UnorderedElementsAre("x", "first"));
  EXPECT_EQ(find(*plan, "idle"), nullptr);
  instance.device = there;
  plan = plan_function(imported, instance, devices, &idle, {.optimize = false});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->partitions.size(), 1u);
  EXPECT_EQ(device_of(*plan, "first"), 1);
}

TEST_F(Planner, stops_planning_a_function_that_nobody_wants) {
  import(kMixed);
  PlanOptions options;
  options.stopped = [] { return absl::CancelledError("closed"); };
  auto plan =
      plan_function(imported, {{"Mixed", nullptr}, devices.entries()[0].name, {}}, devices, &idle, options);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(plan_function(imported, {{"Nobody", nullptr}, "", {}}, devices, &idle, {}).ok());
}

}  // namespace
}  // namespace troupe
