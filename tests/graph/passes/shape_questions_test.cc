#include "graph/passes/shape_questions.h"

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;

class Questions : public testing::Test {
 protected:
  Out filled(std::initializer_list<int32_t> dims) {
    return b.op("Fill", {b.constant(Tensor::vector<int32_t>(dims)), b.placeholder(DataType::kFloat, {})});
  }
  /// What Shape of `x` is; "?" where nobody can tell.
  std::string shape_of(Out x) { return answer_of(question(x)); }
  Out question(Out x) { return b.op("Shape", {x}, {{"out_type", DataType::kInt64}}); }
  std::string answer_of(Out shape) {
    EXPECT_TRUE(b.status().ok()) << b.status();
    auto answer = ShapeQuestions(b.graph()).answer(b.graph().node(shape.node()));
    if (!answer) return "?";
    const auto dims = (*answer)[0].flat<int64_t>();
    return Shape(std::vector<int64_t>(dims.begin(), dims.end())).to_string();
  }

  GraphBuilder b;
};

TEST_F(Questions, are_four_ops) {
  Out x = filled({2});
  EXPECT_TRUE(ShapeQuestions::is_question(b.graph().node(b.op("ShapeN", {std::vector<Out>{x}}).node())));
  EXPECT_FALSE(ShapeQuestions::is_question(b.graph().node(x.node())));
}

TEST_F(Questions, are_answered_through_what_computes) {
  Out x = filled({2, 3});
  EXPECT_EQ(shape_of(b.op("MatMul", {x, filled({3, 5})})), "[2,5]");
  EXPECT_EQ(shape_of(b.op("Reshape", {x, b.constant(Tensor::vector<int32_t>({3, -1}))})), "[3,2]");
}

TEST_F(Questions, do_not_believe_what_is_only_declared) {
  const AttrMap variable{{"dtype", DataType::kFloat}, {"shape", PartialShape{2}}};
  Out handle = b.op("VarHandleOp", {}, variable);
  EXPECT_EQ(shape_of(b.op("ReadVariableOp", {handle}, {{"dtype", DataType::kFloat}})), "?");
  EXPECT_EQ(shape_of(b.neg(b.op("VariableV2", {}, variable))), "?");
  EXPECT_EQ(shape_of(b.op("_Arg", {}, {{"T", DataType::kFloat}, {"index", int64_t{0}}})), "?");
}

TEST_F(Questions, of_a_loop_are_open_but_for_what_never_changes) {
  Out x = filled({2});
  Out inside;
  b.while_loop(
      {x}, [&](const std::vector<Out>&) { return b.constant(false); },
      [&](const std::vector<Out>& v) {
        inside = question(v[0]);
        return std::vector<Out>{v[0]};
      });
  EXPECT_EQ(answer_of(inside), "?") << "it may come back in another shape";
  Out fixed = b.op("Enter", {x}, {{"frame_name", "f"}, {"is_constant", true}});
  EXPECT_EQ(shape_of(b.neg(fixed)), "[2]");
}

TEST_F(Questions, are_open_where_a_node_cannot_be) {
  EXPECT_EQ(shape_of(b.op("MatMul", {filled({2, 3}), filled({4, 5})})), "?");
}

TEST_F(Questions, leave_numbers_that_do_not_fit_to_the_step) {
  Out x = b.op("BroadcastTo", {filled({1}), b.constant(Tensor::vector<int64_t>({int64_t{3} << 30}))});
  Out narrow = b.op("Shape", {x}), wide = b.op("Size", {x}, {{"out_type", DataType::kInt64}});
  ASSERT_TRUE(b.status().ok()) << b.status();
  ShapeQuestions questions(b.graph());
  EXPECT_FALSE(questions.answer(b.graph().node(narrow.node())).has_value());
  auto size = questions.answer(b.graph().node(wide.node()));
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ((*size)[0].value<int64_t>(), int64_t{3} << 30);
}

TEST_F(Questions, look_at_so_many_nodes_and_no_more) {
  Out near = filled({7}), far = near;
  for (int i = 0; i < 900; ++i) near = b.neg(near);
  EXPECT_EQ(shape_of(near), "[7]");
  far = near;
  for (int i = 0; i < 900; ++i) far = b.neg(far);
  EXPECT_EQ(shape_of(far), "?");
  Out first = b.op("Shape", {near}), then = b.op("Shape", {far});
  ASSERT_TRUE(b.status().ok()) << b.status();
  ShapeQuestions both(b.graph());
  ASSERT_TRUE(both.answer(b.graph().node(first.node())).has_value());
  auto answer = both.answer(b.graph().node(then.node()));
  ASSERT_TRUE(answer.has_value()) << "what was found for one question is there for the next";
  EXPECT_THAT((*answer)[0].flat<int32_t>(), ElementsAre(7));
}

}  // namespace
}  // namespace troupe
