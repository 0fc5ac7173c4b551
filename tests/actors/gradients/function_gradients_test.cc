#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "actors/session.h"
#include "graph/gradients/gradients.h"
#include "graph/ir/graph_def.h"
#include "tests/graph/passes/function_graphs.h"

#include "proto/function.pb.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

/// d y / d x of a graph over the functions of function_graphs.h, where x is fed.
class FunctionGradients : public testing::Test {
 protected:
  absl::StatusOr<float> gradient(const std::string& nodes, const std::string& y, float x,
                                 NamedTensor more = {}) {
    tensorflow::GraphDef def = with_functions(nodes);
    EXPECT_TRUE(
        google::protobuf::TextFormat::ParseFromString("signature { name: 'Same' input_arg { name: 'x' type: "
                                                      "DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } "
                                                      "ret { key: 'y' value: 'x' }",
                                                      def.mutable_library()->add_function()));
    Graph graph;
    TROUPE_RETURN_IF_ERROR(import_graph_def(def, {}, &graph));
    const Endpoint ys[] = {{graph.find(y)->id, 0}}, xs[] = {{graph.find("x")->id, 0}};
    std::vector<Endpoint> dx;
    TROUPE_RETURN_IF_ERROR(add_gradients(&graph, {}, ys, xs, {}, &dx));
    if (dx[0].node < 0) return absl::NotFoundError("no gradient");
    const std::string fetch = absl::StrCat(graph.node(dx[0].node).name, ":", dx[0].slot);
    TROUPE_ASSIGN_OR_RETURN(auto session, Session::open());
    TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));
    std::vector<NamedTensor> feeds{{"x", Tensor::scalar<float>(x)}};
    if (!more.first.empty()) feeds.push_back(more);
    TROUPE_ASSIGN_OR_RETURN(std::vector<Tensor> out, session->run(feeds, {fetch}));
    return out[0].value<float>();
  }
  const std::string x_ = placeholder_text("x", "DT_FLOAT");
  const std::string types_ = types_text("Tin", {"DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"});
};

TEST_F(FunctionGradients, go_through_calls) {
  auto g = gradient(x_ + call_text("y", "PartitionedCall", {"x"}, {{"f", "Twice"}}, types_), "y", 3);
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(*g, 2);
}

TEST_F(FunctionGradients, go_through_functions_used_as_ops) {
  auto g = gradient(x_ + "node { name: 'y' op: 'Twice' input: 'x' }", "y", 3);
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(*g, 2);
}

TEST_F(FunctionGradients, go_through_the_branch_that_is_taken) {
  const std::string nodes =
      x_ + placeholder_text("p", "DT_BOOL") +
      call_text("y", "If", {"p", "x"}, {{"then_branch", "Twice"}, {"else_branch", "Same"}},
                types_ + " attr { key: 'Tcond' value { type: DT_BOOL } }");
  auto taken = gradient(nodes, "y", 3, {"p", Tensor::scalar(true)});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(*taken, 2);
  auto other = gradient(nodes, "y", 3, {"p", Tensor::scalar(false)});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(*other, 1);
}

TEST_F(FunctionGradients, go_through_the_case_that_is_chosen) {
  for (const char* lowered : {"true", "false"}) {
    const std::string branches =
        " attr { key: 'branches' value { list { func { name: 'Same' } func { name: 'Twice' } func { name: "
        "'Same' } } } } attr { key: '_lower_using_switch_merge' value { b: " +
        std::string(lowered) + " } }";
    const std::string nodes = x_ + placeholder_text("i", "DT_INT32") +
                              call_text("y", "StatelessCase", {"i", "x"}, {}, types_ + branches);
    for (int i = 0; i < 3; ++i) {
      auto g = gradient(nodes, "y", 3, {"i", Tensor::scalar<int32_t>(i)});
      ASSERT_TRUE(g.ok()) << g.status();
      EXPECT_EQ(*g, i == 1 ? 2 : 1) << "lowered: " << lowered;
    }
  }
}

TEST_F(FunctionGradients, go_through_loops_of_functions) {
  const std::string two = types_text("T", {"DT_FLOAT", "DT_FLOAT"});
  const std::string limit =
      "node { name: 'limit' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' "
      "value { "
      "tensor { dtype: DT_FLOAT tensor_shape {} float_val: 20 } } } }\n";
  const std::string loop =
      call_text("y", "While", {"x", "limit"}, {{"cond", "Grows"}, {"body", "Double"}}, two);
  auto g = gradient(x_ + limit + loop, "y", 3);
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(*g, 8) << "3, 6, 12, 24";
}

TEST_F(FunctionGradients, go_through_variables_that_loops_of_functions_read) {
  const std::string float_type = " attr { key: 'T' value { type: DT_FLOAT } }";
  const std::string of_float = " attr { key: 'dtype' value { type: DT_FLOAT } }";
  auto constant = [&](const std::string& name, const std::string& value) {
    return " { name: '" + name + "' op: 'Const'" + of_float +
           " attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: " + value +
           " } } } } ";
  };
  const std::string args =
      "input_arg { name: 'x' type: DT_FLOAT } input_arg { name: 'v' type: DT_RESOURCE } ";
  tensorflow::GraphDef def =
      with_functions(x_ + "node { name: 'v' op: 'VarHandleOp'" + of_float +
                     " attr { key: 'shape' value { shape {} } } } node" + constant("two", "2") +
                     "node { name: 'init' op: 'AssignVariableOp' input: 'v' input: 'two'" + of_float + " } " +
                     call_text("y", "While", {"x", "v"}, {{"cond", "Small"}, {"body", "Times"}},
                               types_text("T", {"DT_FLOAT", "DT_RESOURCE"})));
  auto add = [&](const std::string& text) {
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, def.mutable_library()->add_function()));
  };
  add("signature { name: 'Small' " + args + "output_arg { name: 'y' type: DT_BOOL } } node_def" +
      constant("limit", "20") + "node_def { name: 'less' op: 'Less' input: 'x' input: 'limit:output:0'" +
      float_type + " } ret { key: 'y' value: 'less:z:0' }");
  add("signature { name: 'Times' is_stateful: true " + args +
      "output_arg { name: 'y' type: DT_FLOAT } output_arg { name: 'same' type: DT_RESOURCE } } "
      "node_def { name: 'read' op: 'ReadVariableOp' input: 'v'" +
      of_float + " } node_def { name: 'product' op: 'Mul' input: 'x' input: 'read:value:0'" + float_type +
      " } ret { key: 'y' value: 'product:z:0' } ret { key: 'same' value: 'v' }");
  Graph graph;
  ASSERT_TRUE(import_graph_def(def, {}, &graph).ok());
  const Endpoint ys[] = {{graph.find("y")->id, 0}}, xs[] = {{graph.find("v")->id, 0}};
  std::vector<Endpoint> dx;
  ASSERT_TRUE(add_gradients(&graph, {}, ys, xs, {}, &dx).ok());
  const std::string fetch = absl::StrCat(graph.node(dx[0].node).name, ":", dx[0].slot);
  auto session = Session::open();
  ASSERT_TRUE(session.ok() && (*session)->create(std::move(graph)).ok());
  ASSERT_TRUE((*session)->run({}, {}, {"init"}).ok());
  auto out = (*session)->run({{"x", Tensor::scalar<float>(3)}}, {fetch});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), 36) << "3, 6, 12, 24: of 3 v^3";
}

TEST_F(FunctionGradients, of_functions_that_call_themselves_are_refused) {
  auto g = gradient(x_ + call_text("y", "PartitionedCall", {"x"}, {{"f", "Forever"}}, types_), "y", 3);
  EXPECT_EQ(g.status().code(), absl::StatusCode::kUnimplemented) << g.status();
}

TEST_F(FunctionGradients, of_functions_that_need_their_own_gradient_are_refused) {
  const std::string loop = types_text("Tin", {"DT_FLOAT", "DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"});
  tensorflow::GraphDef def =
      with_functions(x_ + call_text("y", "SymbolicGradient", {"x", "x"}, {{"f", "Own"}}, loop));
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "signature { name: 'Own' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT "
      "} } "
      "node_def { name: 'g' op: 'SymbolicGradient' input: 'x' input: 'x' " +
          loop + " attr { key: 'f' value { func { name: 'Own' } } } } ret { key: 'y' value: 'g:output:0' }",
      def.mutable_library()->add_function()));
  auto session = Session::open();
  ASSERT_TRUE(session.ok() && (*session)->create(def).ok());
  auto out = (*session)->run({{"x", Tensor::scalar<float>(1)}}, {"y:0"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kUnimplemented) << out.status();
}

TEST_F(FunctionGradients, of_gradients_are_second_derivatives) {
  const std::string types = types_text("Tin", {"DT_FLOAT", "DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"});
  tensorflow::GraphDef def = with_functions(
      x_ + "node { name: 'one' op: 'OnesLike' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }" +
      call_text("y", "SymbolicGradient", {"x", "one"}, {{"f", "Cube"}}, types));
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "signature { name: 'Cube' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT "
      "} } "
      "node_def { name: 's' op: 'Square' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } } "
      "node_def { name: 'c' op: 'Mul' input: 's:y:0' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } } "
      "ret { key: 'y' value: 'c:z:0' }",
      def.mutable_library()->add_function()));
  Graph graph;
  ASSERT_TRUE(import_graph_def(def, {}, &graph).ok());
  const Endpoint ys[] = {{graph.find("y")->id, 0}}, xs[] = {{graph.find("x")->id, 0}};
  std::vector<Endpoint> dx;
  ASSERT_TRUE(add_gradients(&graph, {}, ys, xs, {}, &dx).ok());
  const std::string fetch = absl::StrCat(graph.node(dx[0].node).name, ":", dx[0].slot);
  auto session = Session::open();
  ASSERT_TRUE(session.ok() && (*session)->create(std::move(graph)).ok());
  auto out = (*session)->run({{"x", Tensor::scalar<float>(2)}}, {fetch});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), 12);
}

}  // namespace
}  // namespace troupe::test
