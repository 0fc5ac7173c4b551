#include "graph/passes/constant_folding.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "graph/ir/graph_builder.h"
#include "graph/ir/graph_def.h"
#include "graph/passes/plan.h"
#include "graph/passes/prune.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;

/// Knows AddV2 of float scalars, Unpack of two, Rank, ImmutableConst of one element, and Tile, which makes as much as it is told to.
class TestEvaluator final : public Evaluator {
 public:
  bool can_evaluate(const Node& n) const override { return n.op->name != without_kernel; }
  absl::StatusOr<std::vector<Tensor>> evaluate(const Node& n, const std::vector<Tensor>& in,
                                               int) const override {
    ++calls;
    if (n.is("Unpack"))
      return std::vector<Tensor>{Tensor::scalar(in[0].flat<float>()[0]),
                                 Tensor::scalar(in[0].flat<float>()[1])};
    if (n.is("ImmutableConst")) return std::vector<Tensor>{Tensor::scalar(5.0f)};
    if (n.is("Rank")) return std::vector<Tensor>{Tensor::scalar<int32_t>(in[0].shape().rank())};
    if (n.is("Tile")) return std::vector<Tensor>{Tensor(DataType::kFloat, Shape{in[1].flat<int32_t>()[0]})};
    if (!n.is("AddV2")) return absl::UnimplementedError("only counted");
    if (in[0].value<float>() < 0) return absl::InvalidArgumentError("negative");
    return std::vector<Tensor>{Tensor::scalar(in[0].value<float>() + in[1].value<float>())};
  }
  mutable int calls = 0;
  std::string without_kernel;
};

class ConstantFolding : public testing::Test {
 protected:
  PassStats fold(const std::vector<Out>& roots) {
    auto graph = b.build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    draft.graph = *std::move(graph);
    for (Out root : roots) draft.roots.push_back(root.node());
    auto stats = fold_constants(evaluator, 1 << 10, &draft, consider);
    EXPECT_TRUE(stats.ok()) << stats.status();
    return *stats;
  }
  const Node& node(Out x) const { return draft.graph.node(x.node()); }

  /// The value of a node that has become a constant; a test fails where it has not.
  template <class T>
  T value(Out x) const {
    const Tensor* tensor = const_value(node(x));
    EXPECT_NE(tensor, nullptr) << node(x).name;
    return tensor == nullptr ? T{} : tensor->value<T>();
  }

  GraphBuilder b;
  Draft draft;
  TestEvaluator evaluator;
  NodeFilter consider;
};

TEST_F(ConstantFolding, s309_folds_chains_in_one_walk_and_keeps_names) {
  Out sum = b.add(b.constant(1.0f), b.constant(2.0f), "sum");
  Out more = b.add(sum, b.constant(4.0f), "more");
  PassStats stats = fold({more});
  EXPECT_EQ(stats["folded"], 2);
  ASSERT_NE(const_value(node(more)), nullptr);
  EXPECT_EQ(const_value(node(more))->value<float>(), 7);
  EXPECT_EQ(node(more).name, "more");
  EXPECT_TRUE(node(more).inputs.empty()) << "what it was made of is not asked any more";
  prune(&draft);
  EXPECT_EQ(draft.graph.num_nodes(), 1);
}

TEST_F(ConstantFolding, stops_at_what_is_fed_and_at_what_has_state) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out fed = b.add(x, b.constant(1.0f));
  Out drawn = b.add(
      b.op("RandomUniform", {b.constant(Tensor(DataType::kInt32, Shape{0}))}, {{"dtype", DataType::kFloat}}),
      b.constant(1.0f));
  EXPECT_EQ(fold({fed, drawn})["folded"], 0);
  EXPECT_EQ(evaluator.calls, 0);
}

TEST_F(ConstantFolding, leaves_what_fails_for_the_step_to_report) {
  Out bad = b.add(b.constant(-1.0f), b.constant(2.0f));
  EXPECT_EQ(fold({bad})["folded"], 0);
  EXPECT_TRUE(node(bad).is("AddV2"));
}

TEST_F(ConstantFolding, s313_makes_one_constant_for_each_output) {
  Out pair = b.op("Unpack", {b.constant(Tensor::vector<float>({3, 4}))}, {{"num", 2}});
  Out sum = b.add(pair[0], b.placeholder(DataType::kFloat, {}, "x"));
  Out other = b.add(pair[1], b.placeholder(DataType::kFloat, {}, "y"));
  fold({sum, other});
  const Tensor* first = const_value(draft.graph.node(node(sum).inputs[0].node));
  const Tensor* second = const_value(draft.graph.node(node(other).inputs[0].node));
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->value<float>(), 3);
  EXPECT_EQ(second->value<float>(), 4);
}

TEST_F(ConstantFolding, s315_keeps_small_what_tile_makes_large) {
  EXPECT_EQ(PlanOptions().max_folded_constant_bytes, 10 << 20) << "where a session says nothing else";
  Out large =
      b.op("Tile", {b.constant(Tensor::vector<float>({1})), b.constant(Tensor::vector<int32_t>({1 << 20}))});
  Out small =
      b.op("Tile", {b.constant(Tensor::vector<float>({1})), b.constant(Tensor::vector<int32_t>({10}))});
  fold({large, small});
  EXPECT_TRUE(node(large).is("Tile"));
  EXPECT_TRUE(node(small).is("Const"));
  EXPECT_EQ(evaluator.calls, 1) << "the large one was not even tried";
}

TEST_F(ConstantFolding, never_runs_what_makes_more_than_a_constant_may_hold) {
  const auto ints = [&](std::initializer_list<int32_t> v) { return b.constant(Tensor::vector<int32_t>(v)); };
  const auto number = [&](int32_t v) { return b.constant(v); };
  const int32_t many = 1'000'000'000;
  Out one = b.constant(Tensor::vector<float>({1}));
  Out text = b.constant(Tensor::string_scalar(std::string(100, 'x')));
  Out picture = b.constant(Tensor(DataType::kFloat, Shape{1, 1, 1, 1}));
  fold({b.op("Range", {number(0), number(many), number(1)}),
        b.op("OneHot", {ints({1, 2}), number(many), b.constant(1.0f), b.constant(0.0f)}),
        b.op("Pad", {one, b.constant(Tensor::from<int32_t>(Shape{1, 2}, {0, many}))}),
        b.op("Fill", {ints({many}), b.constant(1.0f)}), b.op("BroadcastTo", {one, ints({many, 1})}),
        b.op("Fill", {ints({20}), text}),
        b.op("SparseToDense", {ints({1}), ints({many}), one, b.constant(0.0f)}),
        b.op("ResizeBilinear", {picture, ints({many, many})}),
        b.op("LinSpace", {b.constant(0.0f), b.constant(1.0f), number(many)})});
  EXPECT_EQ(evaluator.calls, 0);
}

TEST_F(ConstantFolding, s318_waits_for_what_its_constants_waited_for) {
  Out gate = b.op("NoOp", {}, {}, "gate");
  Out late;
  {
    auto after = b.control({gate});
    late = b.constant(1.0f, "late");
  }
  Out sum = b.add(late, b.constant(2.0f));
  fold({sum});
  ASSERT_TRUE(node(sum).is("Const"));
  EXPECT_THAT(node(sum).control_inputs, ElementsAre(gate.node()));
}

TEST_F(ConstantFolding, s310_makes_the_same_graph_of_the_same_graph) {
  auto folded_text = [](int salt) {
    GraphBuilder g;
    Draft folded;
    for (int i = 0; i < 100; ++i) {
      Out sum = g.add(g.constant(1.0f * i), g.constant(2.0f), absl::StrCat("sum", i));
      Out pair = g.op("Unpack", {g.constant(Tensor::vector<float>({3, 1.0f * salt}))}, {{"num", 2}});
      folded.roots.push_back(g.add(g.add(sum, pair[0]), pair[1]).node());
    }
    auto graph = g.build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    folded.graph = *std::move(graph);
    EXPECT_TRUE(fold_constants(TestEvaluator(), 1 << 10, &folded).ok());
    prune(&folded);
    folded.graph.compact();
    tensorflow::GraphDef def;
    to_graph_def(folded.graph, &def);
    std::string text;
    EXPECT_TRUE(google::protobuf::TextFormat::PrintToString(def, &text));
    return text;
  };
  EXPECT_EQ(folded_text(4), folded_text(4));
  EXPECT_NE(folded_text(4), folded_text(5)) << "it is all there";
}

TEST_F(ConstantFolding, s311_leaves_nodes_that_it_is_not_to_consider) {
  Out kept = b.add(b.constant(1.0f), b.constant(2.0f), "kept");
  Out other = b.add(b.constant(1.0f), b.constant(2.0f), "other");
  Out behind = b.add(kept, other, "behind");
  Out asks =
      b.op("Shape", {b.op("Fill", {b.constant(Tensor::vector<int32_t>({2})), kept})}, {}, "kept_shape");
  consider = [](const Node& n) { return n.name.rfind("kept", 0) != 0; };
  EXPECT_EQ(fold({behind, asks})["folded"], 1);
  EXPECT_TRUE(node(kept).is("AddV2"));
  EXPECT_TRUE(node(asks).is("Shape"));
  EXPECT_EQ(value<float>(other), 3);
  EXPECT_TRUE(node(behind).is("AddV2")) << "an input of it is no constant";
}

TEST_F(ConstantFolding, s312_leaves_constants_as_they_are) {
  Out c = b.constant(Tensor::vector<float>({1, 2}), "c");
  Out use = b.add(c, b.placeholder(DataType::kFloat, {2}, "x"));
  const void* memory = const_value(b.graph().node(c.node()))->raw();
  EXPECT_EQ(fold({use})["folded"], 0);
  EXPECT_EQ(evaluator.calls, 0);
  EXPECT_EQ(const_value(node(c))->raw(), memory);
}

TEST_F(ConstantFolding, s314_keeps_of_two_outputs_the_one_that_is_used) {
  Out pair = b.op("Unpack", {b.constant(Tensor::vector<float>({3, 4}))}, {{"num", 2}}, "pair");
  Out sum = b.add(pair[1], b.placeholder(DataType::kFloat, {}, "x"), "sum");
  fold({sum});
  prune(&draft);
  EXPECT_EQ(draft.graph.find("pair"), nullptr);
  EXPECT_EQ(draft.graph.find("pair/output_0"), nullptr);
  ASSERT_NE(draft.graph.find("pair/output_1"), nullptr);
  EXPECT_EQ(const_value(*draft.graph.find("pair/output_1"))->value<float>(), 4);
  EXPECT_EQ(draft.graph.num_nodes(), 3);
}

TEST_F(ConstantFolding, s316_does_not_run_functions) {
  const std::string nodes =
      "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value "
      "{ "
      "tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } } node { name: 'call' op: 'Twice' input: "
      "'c' }";
  ASSERT_TRUE(import_graph_def(test::with_functions(nodes), {}, &draft.graph).ok());
  auto stats = fold_constants(evaluator, 1 << 10, &draft);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ((*stats)["folded"], 0);
  EXPECT_EQ(evaluator.calls, 0);
  EXPECT_TRUE(draft.graph.find("call")->is("Twice"));
}

TEST_F(ConstantFolding, s317_leaves_ops_without_a_kernel) {
  evaluator.without_kernel = "AddV2";
  Out sum = b.add(b.constant(1.0f), b.constant(2.0f));
  EXPECT_EQ(fold({sum})["folded"], 0);
  EXPECT_EQ(evaluator.calls, 0);
}

// --- shapes ---

TEST_F(ConstantFolding, s319_answers_for_shapes_that_are_known) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out filled = b.op("Fill", {b.constant(Tensor::vector<int32_t>({2, 3})), x}, {}, "filled");
  Out root = b.op("Neg", {filled});
  const AttrMap wide{{"out_type", DataType::kInt64}};
  Out shape = b.op("Shape", {root}), size = b.op("Size", {root}, wide), rank = b.op("Rank", {root});
  Out both = b.op("ShapeN", {std::vector<Out>{root, filled}}, {}, "both");
  Out second = b.add(both[1], b.placeholder(DataType::kInt32, {2}, "more"), "second");
  EXPECT_EQ(fold({shape, size, rank, second})["folded"], 4);
  EXPECT_EQ(evaluator.calls, 0) << "nothing is made to see what it looks like";
  ASSERT_NE(const_value(node(shape)), nullptr);
  EXPECT_THAT(const_value(node(shape))->flat<int32_t>(), ElementsAre(2, 3));
  EXPECT_EQ(value<int64_t>(size), 6);
  EXPECT_EQ(value<int32_t>(rank), 2);
  const Tensor* of_filled = const_value(draft.graph.node(node(second).inputs[0].node));
  ASSERT_NE(of_filled, nullptr);
  EXPECT_THAT(of_filled->flat<int32_t>(), ElementsAre(2, 3));
  EXPECT_THAT(node(shape).control_inputs, ElementsAre(root.node())) << "where it is dead there is no answer";
}

TEST_F(ConstantFolding, s320_answers_for_the_rank_where_dimensions_are_open) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), rows = b.placeholder(DataType::kInt32, {}, "rows");
  Out dims = b.op("Pack", {std::vector<Out>{rows, b.constant(3)}});
  Out filled = b.op("Fill", {dims, x});
  Out shape = b.op("Shape", {filled}), size = b.op("Size", {filled}), rank = b.op("Rank", {filled});
  Out both = b.op("ShapeN", {std::vector<Out>{filled, filled}});
  EXPECT_EQ(fold({shape, size, rank, both})["folded"], 1);
  EXPECT_TRUE(node(shape).is("Shape"));
  EXPECT_TRUE(node(size).is("Size"));
  EXPECT_TRUE(node(both).is("ShapeN"));
  EXPECT_EQ(value<int32_t>(rank), 2);
}

TEST_F(ConstantFolding, s321_answers_for_the_shape_of_a_constant_that_waits) {
  Out late = b.placeholder(DataType::kFloat, {}, "late");
  Out c;
  {
    auto after = b.control({late});
    c = b.constant(Tensor::vector<float>({1, 2, 3}), "c");
  }
  Out rank = b.op("Rank", {c});
  EXPECT_EQ(fold({rank})["folded"], 1);
  EXPECT_EQ(value<int32_t>(rank), 1);
  EXPECT_THAT(node(rank).control_inputs, ElementsAre(late.node())) << "and not for c, which is not needed";
}

TEST_F(ConstantFolding, asks_no_switch_whether_its_value_is_there) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), p = b.placeholder(DataType::kBool, {}, "p");
  Out filled = b.op("Fill", {b.constant(Tensor::vector<int32_t>({2})), x});
  Out either = b.op("Switch", {filled, p});
  Out shape = b.op("Shape", {either[1]}), behind = b.op("Shape", {b.neg(either[1], "taken")});
  EXPECT_EQ(fold({shape, behind})["folded"], 1);
  EXPECT_TRUE(node(shape).is("Shape")) << "a control edge from a Switch does not tell which side is taken";
  ASSERT_TRUE(node(behind).is("Const"));
  EXPECT_EQ(draft.graph.node(node(behind).control_inputs[0]).name, "taken");
}

TEST_F(ConstantFolding, s323_reads_constants_that_are_mapped) {
  const AttrMap mapped{
      {"dtype", DataType::kFloat}, {"shape", PartialShape{}}, {"memory_region_name", "file"}};
  AttrMap large = mapped;
  large.set("shape", PartialShape{1 << 20});
  Out sum = b.add(b.op("ImmutableConst", {}, mapped), b.constant(2.0f));
  Out much = b.op("ImmutableConst", {}, large);
  EXPECT_EQ(fold({sum, much})["folded"], 2);
  EXPECT_EQ(value<float>(sum), 7);
  EXPECT_TRUE(node(much).is("ImmutableConst"));
}

}  // namespace
}  // namespace troupe
