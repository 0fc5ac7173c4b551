#include "graph/ir/graph_builder.h"

#include <gmock/gmock.h>

#include "graph/ir/algorithm.h"
#include "graph/ir/control_flow.h"
#include "graph/ir/graph_def.h"

#include "proto/graph.pb.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The graph, and proof that a session would take it.
Graph built(GraphBuilder& b) {
  auto graph = b.build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return Graph();
  pb::GraphDef def;
  to_graph_def(*graph, &def);
  Graph again;
  absl::Status s = import_graph_def(def, {.mode = ImportOptions::Mode::kImport}, &again);
  EXPECT_TRUE(s.ok()) << s;
  EXPECT_TRUE(static_frames(*graph).ok()) << static_frames(*graph).status();
  return *std::move(graph);
}

void expect_error(GraphBuilder& b, absl::StatusCode code, const std::string& phrase) {
  auto graph = b.build();
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), code) << graph.status();
  EXPECT_THAT(std::string(graph.status().message()), HasSubstr(phrase));
}

TEST(GraphBuilder, infers_attrs_from_inputs) {
  GraphBuilder b;
  Out x = b.placeholder(DataType::kFloat, {-1, 3}, "x");
  Out y = b.op("MatMul", {x, x}, {{"transpose_a", true}}, "y");
  Out sum = b.op("AddN", {x, y, x});
  Out listed = b.op("ConcatV2", {std::vector<Out>{x, y}, b.constant(0)});
  Out mixed = b.op("IdentityN", {x, b.constant(1)});
  Graph graph = built(b);
  EXPECT_EQ(*graph.find("y")->attrs.get<bool>("transpose_a"), true);
  EXPECT_EQ(*graph.find("y")->attrs.get<DataType>("T"), DataType::kFloat);
  EXPECT_EQ(*graph.node(sum.node()).attrs.get<int64_t>("N"), 3);
  EXPECT_EQ(*graph.node(listed.node()).attrs.get<int64_t>("N"), 2);
  EXPECT_THAT(graph.node(mixed.node()).output_types, ElementsAre(DataType::kFloat, DataType::kInt32));
}

TEST(GraphBuilder, names_nodes_by_scope_and_uniquely) {
  GraphBuilder b;
  b.constant(1.0f);
  b.constant(1.0f);
  {
    auto layer = b.scope("layer");
    b.constant(1.0f, "w");
  }
  auto layer = b.scope("layer");
  b.constant(1.0f, "w");
  Graph graph = built(b);
  for (const char* name : {"Const", "Const_1", "layer/w", "layer_1/w"})
    EXPECT_NE(graph.find(name), nullptr) << name;
}

TEST(GraphBuilder, applies_devices_and_control_dependencies_while_they_last) {
  GraphBuilder b;
  Out first = b.op("NoOp", {}, {}, "first");
  {
    auto on = b.device("/gpu:0");
    auto after = b.control({first});
    b.constant(1.0f, "x");
  }
  b.constant(1.0f, "y");
  Graph graph = built(b);
  EXPECT_EQ(graph.find("x")->requested_device, "/gpu:0");
  EXPECT_THAT(graph.find("x")->control_inputs, ElementsAre(first.node()));
  EXPECT_EQ(graph.find("y")->requested_device, "");
  EXPECT_TRUE(graph.find("y")->control_inputs.empty());
}

TEST(GraphBuilder, makes_variables_of_both_kinds) {
  GraphBuilder b;
  auto v = b.variable(Tensor::scalar(1.0f), "v");
  auto w = b.variable(Tensor::scalar(2.0f), "v");
  auto r = b.ref_variable(Tensor::scalar(3.0f), "r");
  b.assign_add(v, b.add(b.read(w), b.read(r)), "step");
  b.init_all();
  Graph graph = built(b);
  EXPECT_EQ(*graph.node(w.handle.node()).attrs.get<std::string>("shared_name"), "v_1");
  EXPECT_EQ(graph.find("init")->control_inputs.size(), 3u);
  EXPECT_EQ(graph.find("r")->output_types[0], make_ref(DataType::kFloat));
  EXPECT_EQ(graph.find("step")->op->name, "AssignAddVariableOp");
}

TEST(GraphBuilder, keeps_the_first_error) {
  GraphBuilder b;
  Out bad = b.op("NoSuchOp");
  b.neg(bad);
  b.op("AlsoNone");
  expect_error(b, absl::StatusCode::kNotFound, "'NoSuchOp'");
}

TEST(GraphBuilder, refuses_wrong_inputs) {
  GraphBuilder too_few, too_many, types, slot;
  too_few.op("MatMul", {too_few.constant(1.0f)});
  expect_error(too_few, absl::StatusCode::kInvalidArgument, "needs one input at argument 'b'");
  too_many.op("Neg", {too_many.constant(1.0f), too_many.constant(1.0f)});
  expect_error(too_many, absl::StatusCode::kInvalidArgument, "takes fewer inputs than the 2 given");
  types.add(types.constant(1.0f, "x"), types.constant(1, "y"), "sum");
  expect_error(types, absl::StatusCode::kInvalidArgument,
               "Input 1 of node sum was passed int32 from y:0 incompatible with expected float.");
  slot.neg(slot.constant(1.0f, "x")[1]);
  expect_error(slot, absl::StatusCode::kInvalidArgument, "Node x has no output 1");
}

TEST(GraphBuilder, brings_outer_values_into_loops) {
  GraphBuilder b;
  Out limit = b.placeholder(DataType::kInt32, Shape(), "limit");
  auto out = b.while_loop(
      {b.constant(0, "zero")}, [&](auto& v) { return b.less(v[0], limit); },
      [&](auto& v) { return std::vector<Out>{b.add(v[0], limit)}; });
  Out after = b.neg(out[0]);
  Graph graph = built(b);
  int enters = 0;
  for (int i = 0; i < graph.num_ids(); ++i) {
    if (graph.node(i).is("Enter")) enters += graph.node(i).attrs.get_or<bool>("is_constant", false);
  }
  EXPECT_EQ(enters, 1);  // brought in once for both functions
  EXPECT_TRUE(graph.node(graph.node(after.node()).inputs[0].node).is("Exit"));
  EXPECT_TRUE(graph.node(graph.find("while/Merge")->inputs[1].node).is("NextIteration"));
}

TEST(GraphBuilder, gives_two_loops_frames_of_their_own) {
  GraphBuilder b;
  for (int i = 0; i < 2; ++i) {
    b.while_loop(
        {b.constant(0)}, [&](auto& v) { return b.less(v[0], b.constant(9)); },
        [&](auto& v) { return std::vector<Out>{b.neg(v[0])}; });
  }
  Graph graph = built(b);
  EXPECT_EQ(static_frames(graph)->frames.size(), 3u);
}

TEST(GraphBuilder, checks_loop_bodies) {
  GraphBuilder count, type, outside;
  auto less = [](GraphBuilder& b) {
    return [&b](const std::vector<Out>& v) { return b.less(v[0], b.constant(9)); };
  };
  count.while_loop({count.constant(0)}, less(count), [](auto&) { return std::vector<Out>(); });
  expect_error(count, absl::StatusCode::kInvalidArgument, "returns 0 values for 1 loop variables");
  type.while_loop({type.constant(0)}, less(type),
                  [&](auto& v) { return std::vector<Out>{type.cast(v[0], DataType::kFloat)}; });
  expect_error(type, absl::StatusCode::kInvalidArgument,
               "Loop variable 0 of while is int32 but the body returns float");
  Out leaked;
  outside.while_loop({outside.constant(0)}, less(outside),
                     [&](auto& v) { return std::vector<Out>{leaked = outside.neg(v[0])}; });
  outside.neg(leaked);
  expect_error(outside, absl::StatusCode::kInvalidArgument, "is used outside of the loop or branch");
}

TEST(GraphBuilder, builds_conditionals) {
  GraphBuilder b;
  Out p = b.placeholder(DataType::kBool, Shape(), "p");
  Out x = b.constant(1.0f, "x");
  auto out = b.cond(
      p, [&] { return std::vector<Out>{b.neg(x, "then")}; },
      [&] { return std::vector<Out>{b.constant(5.0f, "else")}; });
  ASSERT_EQ(out.size(), 1u);
  Graph graph = built(b);
  const Node* then = graph.find("cond/then");
  const Node* otherwise = graph.find("cond/else");
  EXPECT_TRUE(graph.node(then->inputs[0].node).is("Switch"));
  EXPECT_EQ(then->inputs[0].slot, 1);
  ASSERT_EQ(otherwise->control_inputs.size(), 1u);  // runs only when its branch is taken
  EXPECT_EQ(graph.node(otherwise->control_inputs[0]).name, "cond/switch_f");
  EXPECT_TRUE(graph.node(out[0].node()).is("Merge"));
}

TEST(GraphBuilder, nests_conditionals_in_loops) {
  GraphBuilder b;
  Out limit = b.placeholder(DataType::kInt32, Shape(), "limit");
  b.while_loop(
      {b.constant(0)}, [&](auto& v) { return b.less(v[0], limit); },
      [&](auto& v) {
        Out one = b.constant(1);
        return b.cond(
            b.less(v[0], one), [&] { return std::vector<Out>{b.add(v[0], limit)}; },
            [&] { return std::vector<Out>{b.add(v[0], one)}; });
      });
  built(b);
}

}  // namespace
}  // namespace troupe
