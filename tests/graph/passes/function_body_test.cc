#include "graph/passes/function_body.h"

#include <gmock/gmock.h>

#include <google/protobuf/text_format.h>

#include "graph/ir/graph_def.h"
#include "graph/passes/infer_shapes.h"
#include "proto/graph.pb.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char kFloat[] = " attr { key: 'T' value { type: DT_FLOAT } }";

/// A graph whose function F(x: float) -> y has these nodes; its node "call" calls F with the placeholder "x".
Graph graph_of(const std::string& nodes, const std::string& y) {
  const std::string text =
      "library { function { signature { name: 'F' input_arg { name: 'x' type: DT_FLOAT } "
      "output_arg { name: 'y' type: DT_FLOAT } }" +
      nodes + " ret { key: 'y' value: '" + y +
      "' } } } node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }"
      "node { name: 'call' op: 'F' input: 'x' }";
  tensorflow::GraphDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &def)) << text;
  Graph graph;
  EXPECT_TRUE(import_graph_def(def, {}, &graph).ok());
  return graph;
}

std::string node(const std::string& name, const std::string& op, const std::string& input,
                 const std::string& attrs = kFloat) {
  return " node_def { name: '" + name + "' op: '" + op + "' input: '" + input + "'" + attrs + " }";
}

absl::Status body_of(const std::string& nodes, const std::string& y) {
  const Graph graph = graph_of(nodes, y);
  return FunctionBodies(graph).get("F", {}).status();
}

TEST(FunctionBody, s355_refuses_nodes_that_wait_for_themselves) {
  const absl::Status status = body_of(node("a", "Neg", "b:y:0") + node("b", "Neg", "a:y:0"), "a:y:0");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith("3 nodes in a cycle"));
}

TEST(FunctionBody, lets_a_loop_go_round) {
  const std::string loop =
      node("enter", "Enter", "x", std::string(kFloat) + " attr { key: 'frame_name' value { s: 'f' } }") +
      " node_def { name: 'merge' op: 'Merge' input: 'enter:output:0' input: 'next:output:0'" + kFloat +
      " attr { key: 'N' value { i: 2 } } }" + node("next", "NextIteration", "merge:output:0") +
      node("exit", "Exit", "merge:output:0");
  EXPECT_TRUE(body_of(loop, "exit:output:0").ok()) << body_of(loop, "exit:output:0");
}

TEST(FunctionBody, refuses_names_that_are_none) {
  EXPECT_THAT(std::string(body_of(node("a b", "Neg", "x"), "a b:y:0").message()),
              StartsWith("Node 'a b': Node name contains invalid characters"));
}

TEST(FunctionBody, s355_refuses_results_and_inputs_that_are_not_there) {
  EXPECT_THAT(std::string(body_of(node("a", "Neg", "x"), "a:y:1").message()),
              StartsWith("Return y -> a:y:1 is not found."));
  EXPECT_THAT(std::string(body_of(node("a", "Neg", "x") + node("b", "Neg", "a:y:1"), "b:y:0").message()),
              StartsWith("input a:y:1 is not found"));
  EXPECT_THAT(std::string(body_of(node("a", "Neg", "x:1"), "a:y:0").message()),
              StartsWith("input x:1 is not found"));
  EXPECT_THAT(std::string(body_of(node("a", "Neg", "x' input: '^b"), "a:y:0").message()),
              StartsWith("input[1] == '^b', is not found."));
  EXPECT_THAT(std::string(body_of(node("a", "Neg", "x' input: 'x"), "a:y:0").message()),
              StartsWith("Expected input[1] == 'x' to be a control input."));
  EXPECT_TRUE(body_of(node("a", "Neg", "x:0"), "a:y:0").ok());
}

TEST(FunctionBody, s355_says_which_type_is_missing) {
  const absl::Status status = body_of(node("a", "Neg", "x", ""), "a:y:0");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), StartsWith("type attr not found: T\n\tIn {{node a}}"));
}

TEST(FunctionBody, does_not_fit_its_caller_when_shapes_inside_do_not) {
  const Graph graph = graph_of(
      " node_def { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' "
      "value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 } } } }"
      " node_def { name: 'a' op: 'MatMul' input: 'c:output:0' input: 'x'" +
          std::string(kFloat) + " }",
      "a:product:0");
  ShapeInference shapes(&graph);
  const absl::Status status = shapes.add_imported();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("Shape must be rank 2 but is rank 1 for '{{node a}} = MatMul[T=DT_FLOAT"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("(c, arg0)' with input shapes: [2], ?."));
}

}  // namespace
}  // namespace troupe::test
