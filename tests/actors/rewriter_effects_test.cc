// What RewriterConfig changes in what a session runs; option_effects_test.cc has the other options.
#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "graph/ir/graph_builder.h"
#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe::test {
namespace {

namespace pb = ::tensorflow;

class RewriterEffects : public SessionTest {};

/// y = x * x, which goes through a product with 1 and an Identity, + x * x + [3] + that of x and e^x which a constant chooses.
const std::string kRewritten = placeholder_text("x", "DT_FLOAT") + R"(
  node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
  node { name: "three" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: 3 } } } }
  node { name: "same" op: "Mul" input: "x" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "hand" op: "Identity" input: "same" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "minus" op: "Neg" input: "hand" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "square" op: "Square" input: "minus" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "product" op: "MatMul" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "bias" op: "BiasAdd" input: "product" input: "three" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "yes" op: "Const" attr { key: "dtype" value { type: DT_BOOL } }
         attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape {} bool_val: true } } } }
  node { name: "sides" op: "Switch" input: "x" input: "yes" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "never" op: "Exp" input: "sides" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "chosen" op: "Merge" input: "never" input: "sides:1"
         attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
  node { name: "y" op: "AddN" input: "square" input: "bias" input: "chosen"
         attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 3 } } }
)";

TEST_F(RewriterEffects, are_the_passes_that_run) {
  auto passes_of = [this](const std::string& config) {
    auto options_of_session = SessionOptions::from_config_text("graph_options { " + config + " }");
    EXPECT_TRUE(options_of_session.ok()) << options_of_session.status();
    auto session = Session::open(*runtime_, *options_of_session);
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    EXPECT_TRUE(session_->create(with_functions(kRewritten)).ok());
    RunOptions options;
    options.output_partition_graphs = true;
    RunStats stats;
    auto y = session_->run({{"x", Tensor::from<float>(Shape{1, 1}, {2})}}, {"y"}, {}, options, &stats);
    EXPECT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y.ok() ? (*y)[0].value<float>() : 0, 4 + 7 + 2) << config;
    pb::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
    std::map<std::string, std::string> ops;
    for (const auto& graph : metadata.partition_graphs()) {
      for (const auto& n : graph.node()) ops[n.name()] = n.op();
    }
    std::string out;
    if (ops["never"].empty()) out += "branches ";
    if (ops["same"] != "Mul") out += "rewrite ";
    if (ops["hand"].empty()) out += "bypass ";
    if (ops["bias"] == "_FusedMatMul") out += "products ";
    if (ops["square"] == "_FusedElementwise") out += "elementwise ";
    return out;
  };
  auto rewriter = [](const std::string& fields) { return "rewrite_options { " + fields + " } "; };
  const std::pair<std::string, std::string> kCases[] = {
      {"", "branches rewrite bypass products elementwise "},
      {"optimizer_options { opt_level: L0 }", ""},
      {rewriter("disable_meta_optimizer: true"), ""},
      // Else the tree of "square" takes the product with 1 in.
      {rewriter("arithmetic_optimization: OFF remapping: OFF"), "branches bypass "},
      {rewriter("dependency_optimization: OFF"), "branches rewrite products elementwise "},
      {rewriter("remapping: OFF"), "branches rewrite bypass "},
      {rewriter("loop_optimization: OFF"), "rewrite bypass products elementwise "},
      {rewriter("optimizers: 'loop'"), "branches "},
      {rewriter("optimizers: 'arithmetic' arithmetic_optimization: OFF"), "rewrite "},
      {rewriter("optimizers: 'dependency'"), "bypass "},
      {rewriter("optimizers: 'remap'"), "products elementwise "},
      {rewriter("min_graph_nodes: 100"), ""},
  };
  for (const auto& [config, expected] : kCases) EXPECT_EQ(passes_of(config), expected) << config;
}

/// A layer with a bias that is a variable, normalised, through a smooth activation, with a connection past it.
class RewrittenLayer : public SessionTest {
 protected:
  RewrittenLayer() {
    GraphBuilder b;
    Out x = b.placeholder(DataType::kFloat, {-1, 24}, "x");
    auto bias = b.variable(sample(Shape{40}, 3), "bias");
    Out h = b.add(b.matmul(x, b.constant(sample(Shape{24, 40}, 1))), b.read(bias));
    const auto last = [&] { return b.constant<int32_t>(-1); };
    Out mean = b.op("Mean", {h, last()}, {{"keep_dims", true}});
    Out variance = b.op("Mean", {b.op("Square", {b.sub(h, mean)}), last()}, {{"keep_dims", true}});
    Out normal =
        b.mul(b.sub(h, b.op("StopGradient", {mean})), b.op("Rsqrt", {b.add(variance, b.constant(1e-3f))}));
    Out scaled = b.add(b.mul(normal, b.constant(sample(Shape{40}, 4))), b.constant(sample(Shape{40}, 5)));
    b.add(b.mul(scaled, b.op("Sigmoid", {b.mul(scaled, b.constant(1.7f))})), h, "y");
    b.assign(bias, b.placeholder(DataType::kFloat, {}, "value"), "set");
    b.init_all("init");
    auto graph = b.build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    graph_ = *std::move(graph);
  }
  static Tensor sample(const Shape& shape, int seed) {
    Tensor t(DataType::kFloat, shape);
    int64_t i = seed;
    for (float& v : t.flat<float>()) v = static_cast<float>((i++ * 29 + 7) % 13 - 6) / 8;
    return t;
  }
  /// y of a session with these options, whose bias is set to `bias` unless that is nothing.
  absl::StatusOr<Tensor> result(const std::string& config, const Tensor& bias = {}) {
    Session& s = open(*SessionOptions::from_config_text(config));
    EXPECT_TRUE(s.run({}, {}, {"init"}).ok());
    if (bias.initialized()) {
      EXPECT_TRUE(s.run({{"value", bias}}, {}, {"set"}).ok());
    }
    auto out = s.run({{"x", sample(Shape{6, 24}, 2)}}, {"y"});
    if (!out.ok()) return out.status();
    return out->at(0);
  }
};

TEST_F(RewrittenLayer, has_the_bits_of_the_layer_as_it_was_written) {
  const auto written = result("graph_options { optimizer_options { opt_level: L0 } }");
  const auto rewritten = result("");
  ASSERT_TRUE(written.ok()) << written.status();
  ASSERT_TRUE(rewritten.ok()) << rewritten.status();
  ASSERT_EQ(rewritten->shape(), (Shape{6, 40}));
  EXPECT_EQ(std::memcmp(rewritten->raw(), written->raw(), written->bytes()), 0);
}

TEST_F(RewrittenLayer, takes_a_bias_of_another_shape_than_was_declared) {
  for (const Shape& shape : {Shape{}, Shape{6, 1}, Shape{6, 40}}) {
    SCOPED_TRACE(shape.to_string());
    const auto written = result("graph_options { optimizer_options { opt_level: L0 } }", sample(shape, 6));
    const auto rewritten = result("", sample(shape, 6));
    ASSERT_TRUE(written.ok()) << written.status();
    ASSERT_TRUE(rewritten.ok()) << rewritten.status();
    EXPECT_EQ(std::memcmp(rewritten->raw(), written->raw(), written->bytes()), 0);
  }
}

TEST_F(RewrittenLayer, fails_with_the_words_of_the_node_as_it_was_written) {
  const absl::Status failed = result("", sample(Shape{7}, 6)).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(failed.message()), testing::HasSubstr("Incompatible shapes: [6,40] vs. [7]"));
}

}  // namespace
}  // namespace troupe::test
