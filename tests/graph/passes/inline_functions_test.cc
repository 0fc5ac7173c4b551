#include "graph/passes/inline_functions.h"

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe {
namespace {

using test::call_text;
using test::placeholder_text;
using test::types_text;
using ::testing::HasSubstr;

class InlineFunctions : public testing::Test {
 protected:
  absl::StatusOr<PassStats> inline_all(const std::string& nodes, const std::string& root,
                                       InlineScope scope = InlineScope::kUnmarked) {
    absl::Status s =
        import_graph_def(test::with_functions(nodes), {.mode = ImportOptions::Mode::kImport}, &draft.graph);
    EXPECT_TRUE(s.ok()) << s;
    if (!s.ok()) return s;
    draft.roots.push_back(draft.graph.find(root)->id);
    return inline_functions(&draft, "", nullptr, scope);
  }
  int count(const std::string& op) const {
    int n = 0;
    for (int i = 0; i < draft.graph.num_ids(); ++i) n += draft.graph.node(i).is(op);
    return n;
  }

  Draft draft;
};

const std::string kOneFloat = types_text("Tin", {"DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"});
const std::string kCondition = " attr { key: 'Tcond' value { type: DT_BOOL } }";
const std::string kUseCall =
    "node { name: 'use' op: 'Neg' input: 'call' attr { key: 'T' value { type: DT_FLOAT } } }";

TEST_F(InlineFunctions, s355_puts_the_body_in_place_of_the_call) {
  auto stats =
      inline_all(placeholder_text("x", "DT_FLOAT") +
                     call_text("call", "PartitionedCall", {"x"}, {{"f", "Twice"}}, kOneFloat) + kUseCall,
                 "use");
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ((*stats)["calls"], 1);
  const Node* sum = draft.graph.find("call/sum");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(draft.graph.find("use")->inputs[0], (Endpoint{sum->id, 0}));
  EXPECT_EQ(draft.graph.find("call"), nullptr);
}

TEST_F(InlineFunctions, s355_expands_a_function_that_is_called_as_an_op) {
  auto stats = inline_all(
      placeholder_text("x", "DT_FLOAT") + "node { name: 'call' op: 'Twice' input: 'x' }" + kUseCall, "use");
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_NE(draft.graph.find("call/sum"), nullptr);
}

TEST_F(InlineFunctions, s355_keeps_an_awaited_name_for_who_waits) {
  auto stats = inline_all(placeholder_text("x", "DT_FLOAT") +
                              call_text("call", "PartitionedCall", {"x"}, {{"f", "Twice"}}, kOneFloat) +
                              "node { name: 'after' op: 'NoOp' input: '^call' }",
                          "after");
  ASSERT_TRUE(stats.ok()) << stats.status();
  const Node* done = draft.graph.find("call");
  ASSERT_NE(done, nullptr);
  EXPECT_TRUE(done->is("NoOp"));
  EXPECT_THAT(draft.graph.find("after")->control_inputs, testing::ElementsAre(done->id));
}

TEST_F(InlineFunctions, s356_makes_loop_constants_of_what_a_body_hands_on) {
  auto stats = inline_all(placeholder_text("x", "DT_FLOAT") + placeholder_text("limit", "DT_FLOAT") +
                              call_text("call", "StatelessWhile", {"x", "limit"},
                                        {{"cond", "Grows"}, {"body", "Double"}},
                                        types_text("T", {"DT_FLOAT", "DT_FLOAT"})) +
                              kUseCall,
                          "use");
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ((*stats)["loops"], 1);
  EXPECT_EQ(count("Enter"), 2);
  EXPECT_EQ(count("NextIteration"), 1);
  EXPECT_EQ(count("Merge"), 1);
}

TEST_F(InlineFunctions, leaves_recursive_functions_to_be_called) {
  auto stats = inline_all(
      placeholder_text("x", "DT_FLOAT") + "node { name: 'call' op: 'Forever' input: 'x' }" + kUseCall, "use");
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ((*stats)["called"], 1);
  EXPECT_EQ((*stats)["calls"], 0);
  const Node* call = draft.graph.find("call");
  ASSERT_NE(call, nullptr);
  EXPECT_TRUE(call->is("PartitionedCall"));
  EXPECT_EQ(call->attrs.get<FunctionRef>("f")->name, "Forever");
  EXPECT_EQ(draft.graph.find("use")->inputs[0], (Endpoint{call->id, 0}));
}

TEST_F(InlineFunctions, leaves_branches_that_must_be_called) {
  auto stats = inline_all(placeholder_text("x", "DT_FLOAT") + placeholder_text("p", "DT_BOOL") +
                              call_text("call", "StatelessIf", {"p", "x"},
                                        {{"then_branch", "Forever"}, {"else_branch", "Twice"}},
                                        kOneFloat + kCondition + test::kLowered) +
                              kUseCall,
                          "use");
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ((*stats)["branches"], 1);
  const Node* call = draft.graph.find("call/then/Forever");
  ASSERT_NE(call, nullptr);
  EXPECT_TRUE(draft.graph.node(call->inputs[0].node).is("Switch"));
  EXPECT_NE(draft.graph.find("call/else/sum"), nullptr);
}

TEST_F(InlineFunctions, s356_leaves_conditionals_that_do_not_ask_to_be_lowered) {
  for (const char* mark : {"", " attr { key: '_lower_using_switch_merge' value { b: false } }"}) {
    draft = Draft();
    auto stats = inline_all(placeholder_text("x", "DT_FLOAT") + placeholder_text("p", "DT_BOOL") +
                                call_text("call", "StatelessIf", {"p", "x"},
                                          {{"then_branch", "Twice"}, {"else_branch", "Twice"}},
                                          kOneFloat + kCondition + mark) +
                                kUseCall,
                            "use");
    ASSERT_TRUE(stats.ok()) << stats.status();
    EXPECT_EQ((*stats)["branches"], 0);
    ASSERT_NE(draft.graph.find("call"), nullptr);
    EXPECT_TRUE(draft.graph.find("call")->is("StatelessIf"));
  }
}

TEST_F(InlineFunctions, s355_s356_leaves_calls_that_say_so) {
  auto stats = inline_all(placeholder_text("x", "DT_FLOAT") +
                              call_text("call", "PartitionedCall", {"x"}, {{"f", "Twice"}},
                                        kOneFloat + " attr { key: '_noinline' value { b: true } }") +
                              kUseCall,
                          "use");
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_TRUE(draft.graph.find("call")->is("PartitionedCall"));
}

TEST_F(InlineFunctions, leaves_every_call_and_lowers_loops_when_told_to) {
  auto stats = inline_all(
      placeholder_text("x", "DT_FLOAT") + placeholder_text("limit", "DT_FLOAT") +
          call_text("loop", "StatelessWhile", {"x", "limit"}, {{"cond", "Grows"}, {"body", "Double"}},
                    types_text("T", {"DT_FLOAT", "DT_FLOAT"})) +
          "node { name: 'named' op: 'Twice' input: 'loop' }" +
          call_text("call", "PartitionedCall", {"named"}, {{"f", "Twice"}}, kOneFloat) + kUseCall,
      "use", InlineScope::kBranchesAndLoops);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ((*stats)["loops"], 1);
  EXPECT_EQ((*stats)["calls"], 0);
  EXPECT_EQ((*stats)["called"], 3) << "the loop's body calls Twice, too";
  EXPECT_EQ(count("PartitionedCall"), 3);
  EXPECT_EQ(count("AddV2"), 0);
  EXPECT_TRUE(draft.graph.find("named")->is("PartitionedCall"));
}

TEST_F(InlineFunctions, s355_names_an_unknown_function_and_its_caller) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  const std::vector<DataType> floats{DataType::kFloat};
  Out call = b.op("PartitionedCall", {std::vector<Out>{x}},
                  {{"Tin", floats}, {"Tout", floats}, {"f", FunctionRef{"Nowhere", nullptr}}}, "call");
  auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  draft.graph = *std::move(graph);
  draft.roots.push_back(call.node());
  auto stats = inline_functions(&draft);
  EXPECT_EQ(stats.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(stats.status().message()), HasSubstr("Function Nowhere is not defined."));
  EXPECT_THAT(std::string(stats.status().message()), HasSubstr("{{node call}}"));
}

TEST_F(InlineFunctions, s355_refuses_calls_that_do_not_fit) {
  auto stats =
      inline_all(placeholder_text("x", "DT_FLOAT") +
                     call_text("call", "PartitionedCall", {"x"}, {{"f", "Grows"}}, kOneFloat) + kUseCall,
                 "use");
  EXPECT_EQ(stats.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(stats.status().message()), HasSubstr("Function Grows expected 2 inputs, got 1"));
}

/// Ready(x) = 1, whatever x is; Both(x, limit) = Forever(x) + limit.
const std::string kMore = R"(
  library {
    function {
      signature { name: "Ready" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
                 attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
      ret { key: "y" value: "one:output:0" }
    }
    function {
      signature { name: "Both" input_arg { name: "x" type: DT_FLOAT } input_arg { name: "limit" type: DT_FLOAT }
                  output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "again" op: "Forever" input: "x" }
      node_def { name: "sum" op: "AddV2" input: "again:y:0" input: "limit" attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "y" value: "sum:z:0" }
    }
    function {
      signature { name: "Counter" input_arg { name: "i" type: DT_INT32 } input_arg { name: "x" type: DT_FLOAT }
                  output_arg { name: "y" type: DT_INT32 } }
      ret { key: "y" value: "i" }
    }
  }
)";

TEST_F(InlineFunctions, tells_a_source_behind_a_switch_whether_it_runs) {
  auto stats = inline_all(
      placeholder_text("x", "DT_FLOAT") + placeholder_text("p", "DT_BOOL") +
          "node { name: 'switch' op: 'Switch' input: 'x' input: 'p' attr { key: 'T' value { type: "
          "DT_FLOAT } } }" +
          call_text("call", "PartitionedCall", {"switch:1"}, {{"f", "Ready"}}, kOneFloat) +
          call_text("free", "PartitionedCall", {"x"}, {{"f", "Ready"}}, kOneFloat) +
          "node { name: 'use' op: 'AddV2' input: 'call' input: 'free' attr { key: 'T' value { type: "
          "DT_FLOAT } } }" +
          kMore,
      "use");
  ASSERT_TRUE(stats.ok()) << stats.status();
  const Node* one = draft.graph.find("call/one");
  ASSERT_NE(one, nullptr);
  ASSERT_EQ(one->control_inputs.size(), 1u) << "it would be alive where the branch is not taken";
  const Node& token = draft.graph.node(one->control_inputs[0]);
  EXPECT_EQ(token.inputs[0], (Endpoint{draft.graph.find("switch")->id, 1})) << "of that side";
  EXPECT_TRUE(draft.graph.find("free/one")->control_inputs.empty());
}

TEST_F(InlineFunctions, lets_a_call_inside_wait_for_its_own_arguments_alone) {
  auto stats = inline_all(
      placeholder_text("x", "DT_FLOAT") + placeholder_text("limit", "DT_FLOAT") +
          call_text("call", "PartitionedCall", {"x", "limit"}, {{"f", "Both"}},
                    types_text("Tin", {"DT_FLOAT", "DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"})) +
          kUseCall + kMore,
      "use");
  ASSERT_TRUE(stats.ok()) << stats.status();
  const Node* again = draft.graph.find("call/again");
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(again->is("PartitionedCall"));
  EXPECT_TRUE(again->control_inputs.empty());
}

TEST_F(InlineFunctions, refuses_a_for_whose_body_gives_something_else) {
  auto stats = inline_all(placeholder_text("i", "DT_INT32") + placeholder_text("x", "DT_FLOAT") +
                              call_text("call", "For", {"i", "i", "i", "x"}, {{"body", "Counter"}},
                                        types_text("T", {"DT_FLOAT"})) +
                              kUseCall + kMore,
                          "use");
  EXPECT_EQ(stats.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(stats.status().message()),
              HasSubstr("Output 0 of type int32 does not match declared output type float"));
}

}  // namespace
}  // namespace troupe
