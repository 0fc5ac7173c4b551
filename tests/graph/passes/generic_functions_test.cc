// Functions whose types and numbers their callers say, and bodies that are wrong.
#include <gmock/gmock.h>

#include <google/protobuf/text_format.h>

#include "graph/ir/graph_def.h"
#include "graph/passes/function_body.h"
#include "graph/passes/inline_functions.h"
#include "proto/graph.pb.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Negative(x: T) = -x; SumAll(x: N * float) = x[0] + ...; Crossed and Nameless are wrong; Pair asks twice what time it is.
const char kLibrary[] = R"(
  library {
    function {
      signature { name: "Negative" attr { name: "T" type: "type" }
                  input_arg { name: "x" type_attr: "T" } output_arg { name: "y" type_attr: "T" } }
      node_def { name: "neg" op: "Neg" input: "x" attr { key: "T" value { placeholder: "T" } } }
      ret { key: "y" value: "neg:y:0" }
    }
    function {
      signature { name: "SumAll" attr { name: "N" type: "int" }
                  input_arg { name: "x" type: DT_FLOAT number_attr: "N" } output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "sum" op: "AddN" input: "x" attr { key: "T" value { type: DT_FLOAT } }
                 attr { key: "N" value { placeholder: "N" } } }
      ret { key: "y" value: "sum:sum:0" }
    }
    function {
      signature { name: "Crossed" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "a" op: "Neg" input: "x" input: "^b" attr { key: "T" value { type: DT_FLOAT } } }
      node_def { name: "b" op: "Neg" input: "x" input: "^a" attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "y" value: "a:y:0" }
    }
    function {
      signature { name: "Nameless" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "enter" op: "Enter" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "y" value: "enter:output:0" }
    }
    function {
      signature { name: "Pair" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_DOUBLE } is_stateful: true }
      node_def { name: "one" op: "Timestamp" }
      node_def { name: "two" op: "Timestamp" }
      node_def { name: "more" op: "AddV2" input: "one:ts:0" input: "two:ts:0" attr { key: "T" value { type: DT_DOUBLE } } }
      ret { key: "y" value: "more:z:0" }
    }
  }
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "i" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
)";

class GenericFunctions : public testing::Test {
 protected:
  void import(const std::string& nodes = "") {
    tensorflow::GraphDef def;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kLibrary + nodes, &def));
    const absl::Status s = import_graph_def(def, {.mode = ImportOptions::Mode::kImport}, &draft_.graph);
    ASSERT_TRUE(s.ok()) << s;
  }
  absl::Status refused(const std::string& function, const AttrMap& attrs = {}) {
    return FunctionBodies(draft_.graph).get(function, attrs).status();
  }

  Draft draft_;
};

TEST_F(GenericFunctions, are_read_once_for_each_type) {
  import();
  FunctionBodies bodies(draft_.graph);
  const auto of_floats = bodies.get("Negative", {{"T", DataType::kFloat}});
  const auto of_ints = bodies.get("Negative", {{"T", DataType::kInt32}});
  ASSERT_TRUE(of_floats.ok() && of_ints.ok()) << of_floats.status() << of_ints.status();
  EXPECT_THAT((*of_floats)->arg_types, ElementsAre(DataType::kFloat));
  EXPECT_THAT((*of_ints)->ret_types, ElementsAre(DataType::kInt32));
  EXPECT_EQ(*bodies.get("Negative", {{"T", DataType::kFloat}, {"_caller", int64_t{5}}}), *of_floats)
      << "it does not declare what else its caller says";
}

TEST_F(GenericFunctions, are_put_in_place_of_calls_of_several_types) {
  import(R"(
    node { name: "f" op: "Negative" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "g" op: "Negative" input: "i" attr { key: "T" value { type: DT_INT32 } } }
    node { name: "all" op: "NoOp" input: "^f" input: "^g" }
  )");
  draft_.roots.push_back(draft_.graph.find("all")->id);
  const auto stats = inline_functions(&draft_);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(draft_.graph.find("f/neg")->output_types[0], DataType::kFloat);
  EXPECT_EQ(draft_.graph.find("g/neg")->output_types[0], DataType::kInt32);
}

TEST_F(GenericFunctions, have_as_many_arguments_as_their_caller_says_if_that_is_a_number) {
  import();
  const auto three = FunctionBodies(draft_.graph).get("SumAll", {{"N", int64_t{3}}});
  ASSERT_TRUE(three.ok()) << three.status();
  EXPECT_EQ((*three)->arg_types.size(), 3U);
  EXPECT_EQ(refused("SumAll", {{"N", int64_t{-1}}}).code(), absl::StatusCode::kInvalidArgument)
      << refused("SumAll", {{"N", int64_t{-1}}});
  EXPECT_THAT(std::string(refused("SumAll").message()), HasSubstr("'N'"));
}

TEST_F(GenericFunctions, refuse_nodes_that_wait_for_each_other) {
  import();
  EXPECT_EQ(refused("Crossed").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused("Crossed").message()), HasSubstr("in a cycle"));
}

TEST_F(GenericFunctions, refuse_nodes_without_an_attr_that_they_need) {
  import();
  EXPECT_THAT(std::string(refused("Nameless").message()), HasSubstr("frame_name"));
  EXPECT_THAT(std::string(refused("Nameless").message()), HasSubstr("{{node enter}}"));
}

TEST_F(GenericFunctions, let_all_who_ask_outside_wait_for_one_node) {
  import(R"(
    node { name: "first" op: "NoOp" }
    node { name: "second" op: "NoOp" }
    node { name: "call" op: "Pair" input: "x" input: "^first" input: "^second" }
    node { name: "use" op: "Neg" input: "call" attr { key: "T" value { type: DT_DOUBLE } } }
  )");
  draft_.roots.push_back(draft_.graph.find("use")->id);
  ASSERT_TRUE(inline_functions(&draft_).ok());
  const Node* ready = draft_.graph.find("call/inputs_ready");
  ASSERT_NE(ready, nullptr);
  for (const char* node : {"call/one", "call/two"})
    EXPECT_THAT(draft_.graph.find(node)->control_inputs, ElementsAre(ready->id)) << node;
}

}  // namespace
}  // namespace troupe::test
