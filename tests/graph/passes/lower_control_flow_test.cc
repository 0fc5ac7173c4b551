// What If and While become, and calls of functions that call others.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "graph/passes/inline_functions.h"
#include "graph/passes/prune.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe {
namespace {

using test::call_text;
using test::placeholder_text;
using test::types_text;
using ::testing::ElementsAre;

const std::string kOneFloat = types_text("Tin", {"DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"});
const std::string kCondition = " attr { key: 'Tcond' value { type: DT_BOOL } }" + test::kLowered;
const std::string kArguments = placeholder_text("x", "DT_FLOAT") + placeholder_text("p", "DT_BOOL");

class LowerControlFlow : public testing::Test {
 protected:
  void lower(const std::string& nodes, const std::string& root) {
    ASSERT_TRUE(
        import_graph_def(test::with_functions(nodes), {.mode = ImportOptions::Mode::kImport}, &draft.graph)
            .ok())
        << nodes;
    draft.roots = {draft.graph.find(root)->id};
    auto stats = inline_functions(&draft);
    ASSERT_TRUE(stats.ok()) << stats.status();
    prune(&draft);
  }
  int count(absl::string_view op) const {
    int n = 0;
    for (int i = 0; i < draft.graph.num_ids(); ++i) n += draft.graph.node(i).is(op);
    return n;
  }
  /// The ops of the nodes whose data the node uses.
  std::vector<std::string> ops_before(const Node& n) const {
    std::vector<std::string> ops;
    for (Endpoint e : n.inputs) ops.push_back(draft.graph.node(e.node).op->name);
    return ops;
  }
  const Node& only(absl::string_view op) const {
    EXPECT_EQ(count(op), 1) << op;
    for (int i = 0; i < draft.graph.num_ids(); ++i) {
      if (draft.graph.node(i).is(op)) return draft.graph.node(i);
    }
    return draft.graph.node(0);
  }
  const Node& node(const std::string& name) const {
    const Node* found = draft.graph.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? draft.graph.node(0) : *found;
  }

  Draft draft;
};

std::string use(const std::string& call) {
  return "node { name: 'use' op: 'Neg' input: '" + call + "' attr { key: 'T' value { type: DT_FLOAT } } }";
}

TEST_F(LowerControlFlow, s356_makes_switches_and_merges_of_an_if) {
  lower(kArguments +
            call_text("if", "StatelessIf", {"p", "x"}, {{"then_branch", "Twice"}, {"else_branch", "Leaves"}},
                      kOneFloat + kCondition) +
            use("if") +
            "library { function { signature { name: 'Leaves' input_arg { name: 'x' type: DT_FLOAT } "
            "output_arg { "
            "name: 'y' type: DT_FLOAT } } node_def { name: 'minus' op: 'Neg' input: 'x' attr { key: 'T' "
            "value { type: "
            "DT_FLOAT } } } ret { key: 'y' value: 'minus:y:0' } } }",
        "use");
  const Node& merge = only("Merge");
  EXPECT_EQ(node("use").inputs[0], (Endpoint{merge.id, 0}));
  EXPECT_THAT(ops_before(merge), ElementsAre("AddV2", "Neg"));
  const Node& either = only("Switch");
  EXPECT_EQ(draft.graph.node(either.inputs[0].node).name, "x");
  EXPECT_EQ(node("if/then/sum").inputs[0], (Endpoint{either.id, 1})) << "what is true goes to `then`";
  EXPECT_EQ(node("if/else/minus").inputs[0], (Endpoint{either.id, 0}));
  EXPECT_EQ(count("StatelessIf"), 0);
}

TEST_F(LowerControlFlow, s356_waits_for_an_if_without_outputs) {
  const std::string effects =
      "library { function { signature { name: 'Sets' input_arg { name: 'v' type: DT_RESOURCE } input_arg { "
      "name: 'x' "
      "type: DT_FLOAT } control_output: 'set' is_stateful: true } node_def { name: 'set' op: "
      "'AssignVariableOp' input: 'v' input: "
      "'x' attr { "
      "key: 'dtype' value { type: DT_FLOAT } } } control_ret { key: 'set' value: 'set' } } function { "
      "signature { name: "
      "'Nothing' input_arg { name: 'v' type: DT_RESOURCE } input_arg { name: 'x' type: DT_FLOAT } } } }";
  lower(kArguments +
            "node { name: 'v' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: "
            "'shape' "
            "value { shape { } } } }" +
            call_text("if", "If", {"p", "v", "x"}, {{"then_branch", "Sets"}, {"else_branch", "Nothing"}},
                      types_text("Tin", {"DT_RESOURCE", "DT_FLOAT"}) + types_text("Tout", {}) + kCondition) +
            effects,
        "if");
  const Node& done = node("if");
  EXPECT_TRUE(done.is("NoOp")) << "who waits for the If waits for it";
  ASSERT_EQ(done.control_inputs.size(), 1u);
  const Node& merge = draft.graph.node(done.control_inputs[0]);
  ASSERT_TRUE(merge.is("Merge")) << "one of the branches is over";
  const Node& then_over = draft.graph.node(merge.inputs[0].node);
  EXPECT_THAT(then_over.control_inputs, ElementsAre(node("if/then/set").id));
}

TEST_F(LowerControlFlow, s356_lowers_an_if_inside_a_branch) {
  const std::string nested =
      "library { function { signature { name: 'Inside' input_arg { name: 'x' type: DT_FLOAT } output_arg { "
      "name: 'y' "
      "type: DT_FLOAT } } node_def { name: 'less' op: 'Less' input: 'x' input: 'x' attr { key: 'T' value { "
      "type: "
      "DT_FLOAT } } } node_def { name: 'inner' op: 'StatelessIf' input: 'less:z:0' input: 'x' attr { key: "
      "'then_branch' value { func { name: 'Twice' } } } attr { key: 'else_branch' value { func { name: "
      "'Twice' } } }" +
      kOneFloat + kCondition + " } ret { key: 'y' value: 'inner:output:0' } } }";
  lower(kArguments +
            call_text("if", "StatelessIf", {"p", "x"}, {{"then_branch", "Inside"}, {"else_branch", "Twice"}},
                      kOneFloat + kCondition) +
            use("if") + nested,
        "use");
  EXPECT_EQ(count("StatelessIf"), 0);
  EXPECT_EQ(count("Merge"), 2);
  EXPECT_EQ(count("Switch"), 2) << "each routes its input";
  EXPECT_NE(draft.graph.find("if/then/inner/else/sum"), nullptr);
}

TEST_F(LowerControlFlow, s356_puts_what_it_makes_on_the_device_of_the_if) {
  const std::string there = " device: '/cpu:1'";
  lower(kArguments +
            call_text("if", "StatelessIf", {"p", "x"}, {{"then_branch", "Twice"}, {"else_branch", "Twice"}},
                      kOneFloat + kCondition + there) +
            use("if"),
        "use");
  for (const char* op : {"Switch", "Merge"}) EXPECT_EQ(only(op).requested_device, "/cpu:1") << op;
  EXPECT_EQ(node("if/then/sum").requested_device, "/cpu:1") << "it asks for no other";
}

TEST_F(LowerControlFlow, s356_routes_many_inputs_and_none_that_nobody_uses) {
  constexpr int kMany = 50;
  std::string args, adds, last = "x0";
  std::vector<std::string> inputs{"p"}, types;
  for (int i = 0; i < kMany; ++i) {
    absl::StrAppend(&args, " input_arg { name: 'x", i, "' type: DT_FLOAT }");
    inputs.push_back("x");
    types.push_back("DT_FLOAT");
    if (i == 0 || i == kMany - 1) continue;
    absl::StrAppend(&adds, " node_def { name: 'add", i, "' op: 'AddV2' input: '", last, "' input: 'x", i,
                    "' attr { key: 'T' value { type: DT_FLOAT } } }");
    last = absl::StrCat("add", i, ":z:0");
  }
  const std::string sums = absl::StrCat("library { function { signature { name: 'Sums'", args,
                                        " output_arg { name: 'y' type: DT_FLOAT } }", adds,
                                        " ret { key: 'y' value: '", last, "' } } }");
  lower(kArguments +
            call_text("if", "StatelessIf", inputs, {{"then_branch", "Sums"}, {"else_branch", "Sums"}},
                      types_text("Tin", types) + types_text("Tout", {"DT_FLOAT"}) + kCondition) +
            use("if") + sums,
        "use");
  EXPECT_EQ(count("Switch"), kMany - 1) << "nobody uses the last";
  EXPECT_EQ(count("AddV2"), 2 * (kMany - 2));
}

TEST_F(LowerControlFlow, s356_makes_a_loop_of_a_while) {
  const std::string types = types_text("T", {"DT_FLOAT", "DT_FLOAT"}) +
                            " attr { key: 'parallel_iterations' value { i: 3 } } device: '/cpu:1'";
  lower(placeholder_text("x", "DT_FLOAT") + placeholder_text("limit", "DT_FLOAT") +
            call_text("while", "StatelessWhile", {"x", "limit"}, {{"cond", "Grows"}, {"body", "Double"}},
                      types) +
            use("while"),
        "use");
  const Node& merge = only("Merge");
  EXPECT_THAT(ops_before(merge), ElementsAre("Enter", "NextIteration"));
  EXPECT_THAT(ops_before(only("LoopCond")), ElementsAre("Less"));
  EXPECT_THAT(ops_before(only("Switch")), ElementsAre("Merge", "LoopCond"));
  EXPECT_EQ(only("Exit").inputs[0], (Endpoint{only("Switch").id, 0})) << "what is false leaves";
  EXPECT_EQ(node("use").inputs[0].node, only("Exit").id);
  EXPECT_THAT(ops_before(only("NextIteration")), ElementsAre("AddV2"));
  for (int i = 0; i < draft.graph.num_ids(); ++i) {
    const Node& n = draft.graph.node(i);
    if (!n.is("Enter")) continue;
    EXPECT_EQ(n.attrs.get_or<std::string>("frame_name", ""), "while");
    EXPECT_EQ(n.attrs.get_or<int64_t>("parallel_iterations", 0), 3);
    EXPECT_EQ(n.requested_device, "/cpu:1");
  }
}

// --- functions ---

TEST_F(LowerControlFlow, s355_puts_functions_in_place_of_calls_inside_of_functions) {
  std::string chain = "library {";
  for (int i = 1; i <= 4; ++i) {
    absl::StrAppend(&chain, " function { signature { name: 'Times", 2 << i,
                    "' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } ");
    const std::string inner = i == 1 ? "Twice" : absl::StrCat("Times", 1 << i);
    absl::StrAppend(&chain, "node_def { name: 'a' op: '", inner,
                    "' input: 'x' } node_def { name: 'b' op: 'Twice' input: 'a:y:0' } ret { key: 'y' value: 'b:y:0' } }");
  }
  chain += " }";
  lower(placeholder_text("x", "DT_FLOAT") + "node { name: 'call' op: 'Times32' input: 'x' }" + use("call") +
            chain,
        "use");
  EXPECT_EQ(count("AddV2"), 5);
  EXPECT_NE(draft.graph.find("call/a/a/a/a/sum"), nullptr);
  EXPECT_NE(draft.graph.find("call/b/sum"), nullptr);
}

TEST_F(LowerControlFlow, s355_keeps_devices_that_a_body_asks_for) {
  const std::string placed =
      "library { function { signature { name: 'Placed' input_arg { name: 'x' type: DT_FLOAT } output_arg { "
      "name: 'y' "
      "type: DT_FLOAT } } node_def { name: 'here' op: 'Neg' input: 'x' attr { key: 'T' value { type: "
      "DT_FLOAT } } } "
      "node_def { name: 'there' op: 'Neg' input: 'here:y:0' device: '/cpu:1' attr { key: 'T' value { type: "
      "DT_FLOAT } "
      "} } ret { key: 'y' value: 'there:y:0' } } }";
  lower(placeholder_text("x", "DT_FLOAT") + "node { name: 'call' op: 'Placed' input: 'x' device: '/cpu:0' }" +
            use("call") + placed,
        "use");
  EXPECT_EQ(node("call/here").requested_device, "/cpu:0") << "the caller's";
  EXPECT_EQ(node("call/there").requested_device, "/cpu:1");
}

TEST_F(LowerControlFlow, s355_keeps_effects_and_what_a_function_says_is_to_be_waited_for) {
  const std::string effects =
      "library { function { signature { name: 'Effects' input_arg { name: 'v' type: DT_RESOURCE } input_arg "
      "{ name: "
      "'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } control_output: 'told' is_stateful: true "
      "} node_def "
      "{ name: 'set' op: 'AssignAddVariableOp' input: 'v' input: 'x' attr { key: 'dtype' value { type: "
      "DT_FLOAT } } } "
      "node_def { name: 'waited' op: 'NoOp' input: '^x' } node_def { name: 'idle' op: 'Neg' input: 'x' attr "
      "{ key: 'T' "
      "value { type: DT_FLOAT } } } ret { key: 'y' value: 'x' } control_ret { key: 'told' value: 'waited' } "
      "} }";
  lower(placeholder_text("x", "DT_FLOAT") +
            "node { name: 'v' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: "
            "'shape' "
            "value { shape { } } } } node { name: 'call' op: 'Effects' input: 'v' input: 'x' } node { name: "
            "'after' op: "
            "'NoOp' input: '^call' }" +
            effects,
        "after");
  EXPECT_NE(draft.graph.find("call/set"), nullptr) << "nothing uses it, but it does something";
  EXPECT_NE(draft.graph.find("call/waited"), nullptr);
  EXPECT_EQ(draft.graph.find("call/idle"), nullptr);
  EXPECT_THAT(node("call").control_inputs,
              testing::IsSupersetOf({node("call/set").id, node("call/waited").id}));
}

}  // namespace
}  // namespace troupe
