#include "graph/passes/infer_shapes.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include <chrono>

#include "graph/ir/graph_def.h"

#include "proto/graph.pb.h"
#include "tests/graph/ops/shape_testing.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(InferShapes, words_errors_as_tensorflow_does) {
  ShapeGraph g;
  Out a = g.b.placeholder(DataType::kFloat, {2, 3}, "a"), b = g.b.placeholder(DataType::kFloat, {4, 5}, "b");
  Out product = g.b.op("MatMul", {a, b}, {}, "product");
  ShapeInference inference(&g.b.graph());
  absl::Status s = inference.add_imported();
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      s.message(),
      "Dimensions must be equal, but are 3 and 4 for '{{node product}} = MatMul[T=DT_FLOAT, grad_a=false, "
      "grad_b=false, transpose_a=false, transpose_b=false](a, b)' with input shapes: [2,3], [4,5].");
  EXPECT_FALSE(inference.shape(product.endpoint()).known_rank());
}

TEST(InferShapes, tells_the_values_that_a_function_looked_at) {
  ShapeGraph g;
  Out x = g.b.placeholder(DataType::kFloat, {2, 3}, "x");
  EXPECT_THAT(
      g.shape("Reshape", {x, g.ints({4, -1})}),
      testing::EndsWith("with input shapes: [2,3], [2] and with input tensors computed as partial shapes: "
                        "input[1] = [4,?]."));
  ShapeGraph h;
  Out y = h.b.placeholder(DataType::kFloat, {2, 3}, "y");
  EXPECT_THAT(
      h.shape("Sum", {y, h.ints({0, 7})}),
      testing::EndsWith("with input shapes: [2,3], [2] and with computed input tensors: input[1] = <0 7>."));
}

TEST(InferShapes, writes_values_row_by_row_in_errors) {
  ShapeGraph g;
  Out x = g.b.placeholder(DataType::kFloat, {2, 3}, "x");
  Out paddings = g.b.constant(Tensor::from<int32_t>(Shape{2, 2}, {1, -2, 3, 4}));
  EXPECT_THAT(g.shape("Pad", {x, paddings}),
              testing::EndsWith("with computed input tensors: input[1] = <[1 -2][3 4]>."));
  ShapeGraph h;
  Out y = h.b.placeholder(DataType::kFloat, {2, 3}, "y");
  EXPECT_THAT(h.shape("Sum", {y, h.ints(std::vector<int32_t>(300, 7))}), testing::EndsWith(" 7...>."))
      << "of many values some are left out";
}

TEST(InferShapes, names_devices_outputs_and_control_inputs_in_errors) {
  ShapeGraph g;
  Out pair = g.b.op("Split", {g.b.constant(0), g.input({2, 3})}, {{"num_split", int64_t{2}}}, "pair");
  Out first = g.b.op("NoOp", {}, {}, "first"), second = g.b.op("NoOp", {}, {}, "second");
  auto after = g.b.control({first, second});
  auto there = g.b.device("/cpu:0");
  Out product = g.b.op("MatMul", {pair[1], pair[0]}, {}, "product");
  ShapeInference inference(&g.b.graph());
  inference.add_all();
  const std::string message(inference.add(g.b.graph().node(product.node())).message());
  EXPECT_THAT(message, HasSubstr("_device=\"/cpu:0\"](pair:1, pair, ^first, ^second)'"));
}

TEST(InferShapes, leaves_what_follows_an_error_unknown) {
  ShapeGraph g;
  Out bad = g.b.op("MatMul", {g.input({2}), g.input({2})});
  Out after = g.b.identity(bad);
  Out other = g.b.identity(g.input({3}));
  ShapeInference inference(&g.b.graph());
  inference.add_all();
  EXPECT_FALSE(inference.shape(after.endpoint()).known_rank());
  EXPECT_EQ(inference.shape(other.endpoint()).to_string(), "[3]");
}

TEST(InferShapes, takes_values_that_come_back_in_loops_for_unknown) {
  ShapeGraph g;
  Out start = g.input({2});
  auto out = g.b.while_loop(
      {start, g.b.constant(0)}, [&](const std::vector<Out>& v) { return g.b.less(v[1], g.b.constant(3)); },
      [&](const std::vector<Out>& v) {
        return std::vector<Out>{g.b.op("ConcatV2", {std::vector<Out>{v[0], v[0]}, g.b.constant(0)}),
                                g.b.add(v[1], g.b.constant(1))};
      });
  ASSERT_TRUE(g.b.status().ok()) << g.b.status();
  ShapeInference inference(&g.b.graph());
  EXPECT_TRUE(inference.add_imported().ok());
  EXPECT_FALSE(inference.shape(out[0].endpoint()).known_rank());
}

TEST(InferShapes, refines_what_the_caller_knows_better) {
  ShapeGraph g;
  Out x = g.input({-1, 3});
  Out y = g.b.relu(x);
  ShapeInference inference(&g.b.graph());
  inference.add_all();
  EXPECT_EQ(inference.shape(y.endpoint()).to_string(), "[?,3]");
  EXPECT_TRUE(inference.set_shape(x.endpoint(), {5, -1}).ok());
  EXPECT_EQ(inference.shape(x.endpoint()).to_string(), "[5,3]");

  bool refined = false;
  EXPECT_TRUE(inference.add(g.b.graph().node(y.node()), &refined).ok());
  EXPECT_TRUE(refined);
  EXPECT_EQ(inference.shape(y.endpoint()).to_string(), "[5,3]");
  EXPECT_TRUE(inference.add(g.b.graph().node(y.node()), &refined).ok());
  EXPECT_FALSE(refined);

  // What was set stays when the node is inferred again.
  EXPECT_TRUE(inference.add(g.b.graph().node(x.node())).ok());
  EXPECT_EQ(inference.shape(x.endpoint()).to_string(), "[5,3]");
}

TEST(InferShapes, tells_when_more_is_known_of_a_handle) {
  ShapeGraph g;
  Out handle = g.b.placeholder(DataType::kResource, {}, "handle");
  Out same = g.b.identity(handle);
  ShapeInference inference(&g.b.graph());
  inference.add_all();
  bool refined = false;
  auto again = [&] {
    EXPECT_TRUE(inference.add(g.b.graph().node(same.node()), &refined).ok());
    return refined;
  };
  EXPECT_FALSE(again());
  ASSERT_TRUE(inference.set_handle(handle.endpoint(), {{DataType::kFloat, PartialShape{2, -1}}}).ok());
  EXPECT_TRUE(again());
  EXPECT_FALSE(again());
  ASSERT_TRUE(inference.set_handle(handle.endpoint(), {{DataType::kFloat, PartialShape{2, 3}}}).ok());
  EXPECT_TRUE(again());
  EXPECT_FALSE(inference.set_handle({handle.node(), 1}, {}).ok());
  EXPECT_FALSE(inference.set_handle({99, 0}, {}).ok());
}

TEST(InferShapes, refuses_shapes_that_cannot_be) {
  ShapeGraph g;
  Out x = g.input({2, 3});
  ShapeInference inference(&g.b.graph());
  inference.add_all();
  EXPECT_THAT(std::string(inference.set_shape(x.endpoint(), {2, 4}).message()),
              StartsWith("Dimension 1 in both shapes must be equal, but are 3 and 4."));
  EXPECT_FALSE(inference.set_shape({x.node(), 1}, {2}).ok());
  EXPECT_FALSE(inference.set_shape({99, 0}, {2}).ok());
  EXPECT_FALSE(inference.set_shape({g.b.graph().num_ids(), 0}, {2}).ok());
  EXPECT_EQ(inference.shape(x.endpoint()).to_string(), "[2,3]");
}

TEST(InferShapes, knows_nothing_of_what_was_not_added) {
  ShapeGraph g;
  g.input({2});
  ShapeInference inference(&g.b.graph());
  EXPECT_FALSE(inference.added(0));
  EXPECT_FALSE(inference.shape({0, 0}).known_rank());
  EXPECT_FALSE(inference.shape({-1, 7}).known_rank());
  inference.add_all();
  EXPECT_TRUE(inference.added(0));
  EXPECT_FALSE(inference.added(1));
  EXPECT_FALSE(inference.added(-1));
  EXPECT_FALSE(inference.shape({1, 0}).known_rank());
}

TEST(InferShapes, checks_declared_output_shapes) {
  ShapeGraph g;
  Out x = g.b.op("Placeholder", {},
                 {{"dtype", DataType::kFloat},
                  {"shape", PartialShape{2, -1}},
                  {"_output_shapes", std::vector<PartialShape>{{2, 5}}}},
                 "x");
  ShapeInference fits(&g.b.graph());
  EXPECT_TRUE(fits.add_imported().ok());
  EXPECT_EQ(fits.shape(x.endpoint()).to_string(), "[2,5]");

  g.b.op("Placeholder", {},
         {{"dtype", DataType::kFloat},
          {"shape", PartialShape{2, 4}},
          {"_output_shapes", std::vector<PartialShape>{{2, 5}}}},
         "y");
  ShapeInference contradicts(&g.b.graph());
  EXPECT_THAT(
      std::string(contradicts.add_imported().message()),
      StartsWith("Node 'y' has an _output_shapes attribute inconsistent with the GraphDef for output #0: "
                 "Dimension 1 in both shapes must be equal, but are 4 and 5."));
}

/// Adds two numbers, and counts.
class Adder final : public Evaluator {
 public:
  bool can_evaluate(const Node& node) const override { return node.is("Bincount"); }
  absl::StatusOr<std::vector<Tensor>> evaluate(const Node&, const std::vector<Tensor>& inputs,
                                               int) const override {
    ++runs;
    EXPECT_EQ(inputs.size(), 3u);
    return std::vector<Tensor>{Tensor::from<int32_t>(Shape{2}, {6, 7})};
  }
  mutable int runs = 0;
};

TEST(InferShapes, runs_small_constant_nodes) {
  ShapeGraph g;
  Out counts = g.b.op("Bincount", {g.ints({0, 1}), g.b.constant(2), g.ints({1, 1})});
  Out filled = g.b.op("Fill", {counts, g.b.constant(0.0f)});
  Adder adder;
  ShapeInference inference(&g.b.graph(), &adder);
  inference.add_all();
  EXPECT_EQ(inference.shape(filled.endpoint()).to_string(), "[6,7]");
  EXPECT_EQ(adder.runs, 1);
}

TEST(InferShapes, runs_what_one_input_needs) {
  ShapeGraph g;
  Out counts = g.b.op("Bincount", {g.ints({0, 1}), g.b.constant(2), g.ints({1, 1})});
  Out random = g.b.op("RandomUniform", {counts}, {{"dtype", DataType::kFloat}});
  Adder adder;
  ShapeInference inference(&g.b.graph(), &adder);
  inference.add_all();
  EXPECT_EQ(inference.shape(random.endpoint()).to_string(), "[6,7]");
}

/// Adds; what its tests ask it, in which order.
class Sums final : public Evaluator {
 public:
  bool can_evaluate(const Node& node) const override { return node.is("AddV2"); }
  absl::StatusOr<std::vector<Tensor>> evaluate(const Node& node, const std::vector<Tensor>& inputs,
                                               int) const override {
    names.push_back(node.name);
    return std::vector<Tensor>{Tensor::scalar(inputs[0].value<float>() + inputs[1].value<float>())};
  }
  mutable std::vector<std::string> names;
};

TEST(InferShapes, s339_finds_the_value_of_what_depends_on_constants_alone) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out two = b.add(b.constant(1.0f), b.constant(1.0f), "two");
  Out four = b.add(two, two, "four");
  Out open = b.add(four, x, "open");
  Sums sums;
  ShapeInference inference(&b.graph(), &sums);
  inference.add_all();
  auto value = [&](Endpoint e, int most = 10) { return inference.constant_value(e, most, 100); };
  ASSERT_TRUE(value(four.endpoint()).initialized());
  EXPECT_EQ(value(four.endpoint()).value<float>(), 4);
  EXPECT_THAT(sums.names, testing::ElementsAre("two", "four", "two", "four")) << "each once an answer";
  EXPECT_FALSE(value(four.endpoint(), 1).initialized()) << "more nodes than may run";
  EXPECT_FALSE(value(open.endpoint()).initialized());
  EXPECT_FALSE(value({four.node(), 1}).initialized());
  EXPECT_FALSE(value({four.node(), -1}).initialized());
  EXPECT_FALSE(value({-1, 0}).initialized());
  EXPECT_FALSE(value({b.graph().num_ids(), 0}).initialized());
}

TEST(InferShapes, s340_gives_values_that_outlive_the_graph) {
  Tensor value;
  {
    GraphBuilder b;
    Out two = b.add(b.constant(1.0f), b.constant(1.0f));
    Sums sums;
    ShapeInference inference(&b.graph(), &sums);
    inference.add_all();
    value = inference.constant_value(two.endpoint(), 10, 100);
  }
  ASSERT_TRUE(value.initialized());
  EXPECT_EQ(value.value<float>(), 2);
}

TEST(InferShapes, s341_gives_the_value_of_each_output_that_is_asked_for) {
  GraphBuilder b;
  Out one = b.constant(1.0f), two = b.add(one, one, "two"), three = b.add(two, one, "three");
  Sums sums;
  ShapeInference inference(&b.graph(), &sums);
  inference.add_all();
  for (auto [out, want] : {std::pair{one, 1.0f}, {two, 2.0f}, {three, 3.0f}}) {
    const Tensor value = inference.constant_value(out.endpoint(), 10, 100);
    ASSERT_TRUE(value.initialized());
    EXPECT_EQ(value.value<float>(), want);
  }
}

TEST(InferShapes, words_errors_inside_of_functions_too) {
  pb::GraphDef def;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
    node { name: "called" op: "F" input: "x" }
    library {
      function {
        signature { name: "F" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
        node_def { name: "s" op: "Square" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
        node_def { name: "n" op: "MatMul" input: "s:y:0" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
        ret { key: "r" value: "n:product:0" }
      }
    }
    versions { producer: 1000 })",
                                                            &def));
  Graph graph;
  ASSERT_TRUE(import_graph_def(def, {}, &graph).ok());
  ShapeInference inference(&graph);
  inference.add_all();
  const Node& called = *graph.find("called");
  const std::string message(inference.add(called).message());
  EXPECT_THAT(message, StartsWith("Dimensions must be equal, but are 3 and 2 for '{{node n}} = MatMul["));
  EXPECT_THAT(message, testing::EndsWith("](s, arg0)' with input shapes: [2,3], [2,3]."));
  EXPECT_FALSE(inference.shape({called.id, 0}).known_rank());
}

TEST(InferShapes, looks_into_functions) {
  pb::GraphDef def;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
    node { name: "direct" op: "Square" input: "x" }
    node { name: "called" op: "PartitionedCall" input: "x"
           attr { key: "f" value { func { name: "Outer" } } }
           attr { key: "Tin" value { list { type: DT_FLOAT } } }
           attr { key: "Tout" value { list { type: DT_FLOAT } } } }
    node { name: "loops" op: "Endless" input: "x" }
    library {
      function {
        signature { name: "Outer" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
        node_def { name: "n" op: "Inner" input: "a" }
        ret { key: "r" value: "n:r" }
      }
      function {
        signature { name: "Inner" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
        node_def { name: "n" op: "MatMul" input: "a" input: "a" attr { key: "T" value { type: DT_FLOAT } }
                   attr { key: "transpose_b" value { b: true } } }
        ret { key: "r" value: "n:product:0" }
      }
      function {
        signature { name: "Endless" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
        node_def { name: "n" op: "Endless" input: "a" }
        ret { key: "r" value: "n:r" }
      }
    }
    versions { producer: 1000 })",
                                                            &def));
  def.mutable_node(1)->mutable_attr()->operator[]("T").set_type(pb::DT_FLOAT);
  Graph graph;
  ASSERT_TRUE(import_graph_def(def, {}, &graph).ok());
  ShapeInference inference(&graph);
  inference.add_all();
  EXPECT_EQ(inference.shape({graph.find("direct")->id, 0}).to_string(), "[2,3]");
  EXPECT_EQ(inference.shape({graph.find("called")->id, 0}).to_string(), "[2,2]");
  EXPECT_FALSE(inference.shape({graph.find("loops")->id, 0}).known_rank());
}

TEST(InferShapes, is_linear_in_the_graph) {
  auto seconds = [](int n) {
    GraphBuilder b;
    Out x = b.placeholder(DataType::kFloat, {4, 4});
    for (int i = 0; i < n; ++i) x = b.add(x, x);
    const auto start = std::chrono::steady_clock::now();
    ShapeInference inference(&b.graph());
    inference.add_all();
    EXPECT_EQ(inference.shape(x.endpoint()).to_string(), "[4,4]");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  seconds(1000);
  EXPECT_LT(seconds(40000), 40 * seconds(4000) + 0.2);
}

}  // namespace
}  // namespace troupe
