#include "graph/gradients/gradients.h"

#include <gmock/gmock.h>

#include "graph/gradients/gradient_registry.h"
#include "graph/ir/graph_builder.h"
#include "graph/ops/op_registry.h"

namespace troupe {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr Endpoint kNone{-1, 0};

/// x, y: float; m = x * y; s = m^2.
class AddGradients : public testing::Test {
 protected:
  AddGradients() {
    x = b.placeholder(DataType::kFloat, {2}, "x");
    y = b.placeholder(DataType::kFloat, {2}, "y");
    m = b.mul(x, y, "m");
    s = b.op("Square", {m}, {}, "s");
  }

  absl::Status add(const std::vector<Out>& ys, const std::vector<Out>& xs, const std::string& prefix = "") {
    if (!built) {
      auto graph = b.build();
      EXPECT_TRUE(graph.ok()) << graph.status();
      g = *std::move(graph);
      built = true;
    }
    std::vector<Endpoint> y_ends, x_ends;
    for (Out o : ys) y_ends.push_back(o.endpoint());
    for (Out o : xs) x_ends.push_back(o.endpoint());
    return add_gradients(&g, {prefix, nullptr, nullptr}, y_ends, x_ends, dy, &dx);
  }
  std::string name(size_t i) const { return dx[i].node < 0 ? "" : g.node(dx[i].node).name; }
  int count(absl::string_view op) const {
    int n = 0;
    for (int i = 0; i < g.num_ids(); ++i) n += g.node(i).is(op) ? 1 : 0;
    return n;
  }

  GraphBuilder b;
  Out x, y, m, s;
  Graph g;
  bool built = false;
  std::vector<Endpoint> dy;
  std::vector<Endpoint> dx;
};

TEST_F(AddGradients, names_new_nodes_under_the_first_free_prefix) {
  ASSERT_TRUE(add({s}, {x, y}).ok());
  EXPECT_THAT(name(0), StartsWith("gradients/"));
  ASSERT_TRUE(add({s}, {x}).ok());
  EXPECT_THAT(name(0), StartsWith("gradients_1/"));
  ASSERT_TRUE(add({s}, {x}, "a/b").ok());
  EXPECT_THAT(name(0), StartsWith("a/b/"));
}

TEST_F(AddGradients, refuses_a_prefix_that_is_taken) {
  const absl::Status status = add({s}, {x}, "m");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("prefix [m] conflicts with existing node in the graph named [m]"));
}

TEST_F(AddGradients, refuses_inputs_that_the_outputs_do_not_depend_on) {
  const Out z = b.neg(y, "z");
  const absl::Status status = add({z}, {y, x});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("Cannot compute the partial derivative for node 'x' as it's "
                        "unreachable from the output node(s)."));
  EXPECT_FALSE(add({}, {x}).ok());
}

TEST_F(AddGradients, leaves_the_graph_as_it_was_after_an_error) {
  GraphBuilder other;
  const Out in = other.placeholder(DataType::kComplex64, {}, "in");
  const Out out = other.op("MatrixLogarithm", {in}, {}, "log");
  auto graph = other.build();
  ASSERT_TRUE(graph.ok());
  const int before = graph->num_ids();
  const Endpoint ys[] = {out.endpoint()}, xs[] = {in.endpoint()};
  const absl::Status status = add_gradients(&*graph, {}, ys, xs, {}, &dx);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("No gradient defined for op: MatrixLogarithm"));
  EXPECT_EQ(graph->num_ids(), before);
  EXPECT_EQ(graph->num_nodes(), before);
}

TEST_F(AddGradients, wants_a_start_for_each_output_or_for_none) {
  dy = {x.endpoint(), y.endpoint()};
  EXPECT_THAT(std::string(add({s}, {x}).message()),
              HasSubstr("Must specify a gradient input for each output."));
}

TEST_F(AddGradients, refuses_endpoints_that_do_not_exist) {
  EXPECT_EQ(add({s[1]}, {x}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(add({s}, {Out(Endpoint{99, 0})}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(add({s}, {Out()}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(AddGradients, refuses_a_start_of_another_type) {
  const Out i = b.placeholder(DataType::kInt32, {}, "i");
  dy = {i.endpoint()};
  EXPECT_EQ(add({s}, {x}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(AddGradients, of_an_output_by_itself_is_one) {
  ASSERT_TRUE(add({x}, {x}).ok());
  EXPECT_EQ(g.node(dx[0].node).op->name, "OnesLike");
}

TEST_F(AddGradients, gives_the_same_answer_to_the_same_input_twice) {
  ASSERT_TRUE(add({s}, {x, x}).ok());
  EXPECT_EQ(dx[0], dx[1]);
}

TEST_F(AddGradients, sums_what_arrives_more_than_once) {
  const Out twice = b.add(b.op("Sin", {x}), b.op("Cos", {x}), "twice");
  ASSERT_TRUE(add({twice, twice}, {x}).ok());
  EXPECT_EQ(count("AddN"), 2) << "at the output, and at x";
}

TEST_F(AddGradients, goes_through_an_inner_input_to_the_one_behind) {
  ASSERT_TRUE(add({s}, {m, x}).ok());
  EXPECT_NE(dx[0], kNone);
  EXPECT_NE(dx[1], kNone);
}

TEST_F(AddGradients, stops_where_only_shapes_are_used) {
  const Out shape = b.op("Cast", {b.op("Shape", {x})}, {{"DstT", DataType::kFloat}}, "c");
  ASSERT_TRUE(add({shape}, {x}).ok());
  EXPECT_EQ(dx[0].node, -1);
}

TEST_F(AddGradients, refuses_ops_that_hand_numbers_on_but_have_no_rule) {
  const absl::Status status = add({b.op("Unique", {x}, {}, "u")}, {x});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("No gradient defined for op: Unique"));
}

TEST_F(AddGradients, needs_no_rules_behind_ops_that_hand_no_gradient_on) {
  const Out filled = b.op("Fill", {b.op("Shape", {x}), b.constant(1.0F)}, {}, "filled");
  ASSERT_TRUE(add({b.op("Unique", {b.add(filled, filled, "sum")}, {}, "u")}, {x}).ok());
  EXPECT_EQ(dx[0].node, -1);
}

TEST_F(AddGradients, stops_where_only_integers_go_into_an_op_without_rule) {
  const Out rows = b.constant(Tensor::vector<int32_t>({0, 1}));
  const Out sums = b.op("SparseSegmentSumGrad", {y, rows, rows, b.op("Size", {x})}, {}, "sums");
  ASSERT_TRUE(add({sums}, {x}).ok());
  EXPECT_EQ(dx[0].node, -1);
}

TEST_F(AddGradients, makes_zeros_for_outputs_that_nobody_uses) {
  const Out parts = b.op("Unpack", {x}, {{"num", 2}}, "u");
  ASSERT_TRUE(add({parts}, {x}).ok());
  EXPECT_EQ(count("ZerosLike"), 1);
  EXPECT_EQ(count("Pack"), 1);
}

TEST_F(AddGradients, does_not_look_at_control_edges) {
  auto after = b.control({x});
  const Out z = b.neg(y, "z");
  EXPECT_FALSE(add({z}, {x}).ok());
}

TEST_F(AddGradients, needs_no_broadcasting_for_known_equal_shapes) {
  ASSERT_TRUE(add({s}, {x}).ok());
  EXPECT_EQ(count("BroadcastGradientArgs"), 0);
}

TEST(GradientRegistry, knows_only_ops_that_exist) {
  for (const std::string& op : builtin_gradients().names()) EXPECT_NE(builtin_ops().find(op), nullptr) << op;
}

TEST(GradientRegistry, refuses_a_second_rule_for_an_op) {
  GradientRegistry registry;
  const RuleRow rows[] = {{"Neg", nullptr}, {"Neg", nullptr}};
  EXPECT_EQ(registry.add(rows).code(), absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace troupe
