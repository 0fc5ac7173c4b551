#include "graph/ir/control_flow.h"

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string frame_name(const Graph& graph, const ControlFlowInfo& info, const std::string& node) {
  const Node* n = graph.find(node);
  EXPECT_NE(n, nullptr) << node;
  return n == nullptr ? "" : info.frames[info.frame_of[n->id]].name;
}

TEST(ControlFlow, finds_nested_frames) {
  GraphBuilder b;
  auto inner = [&](const std::vector<Out>& v) {
    return b.while_loop(
        {v[0]}, [&](auto& w) { return b.less(w[0], b.constant(3)); },
        [&](auto& w) { return std::vector<Out>{b.add(w[0], b.constant(1))}; }, "inner");
  };
  auto out = b.while_loop(
      {b.constant(0)}, [&](auto& v) { return b.less(v[0], b.constant(9)); }, inner, "outer");
  b.neg(out[0], "after");
  auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto info = static_frames(*graph);
  ASSERT_TRUE(info.ok()) << info.status();
  ASSERT_THAT(info->frames, SizeIs(3));
  EXPECT_EQ(info->frames[2].name, "outer/inner");
  EXPECT_EQ(info->frames[2].depth, 2);
  EXPECT_EQ(info->frames[info->frames[2].parent].name, "outer");
  EXPECT_EQ(frame_name(*graph, *info, "outer/inner/AddV2"), "outer/inner");
  EXPECT_EQ(frame_name(*graph, *info, "outer/inner/Exit"), "outer/inner");
  EXPECT_EQ(frame_name(*graph, *info, "outer/NextIteration"), "outer");
  EXPECT_EQ(frame_name(*graph, *info, "after"), "");
  EXPECT_THAT(info->frames[1].loop_conds, SizeIs(1));
  EXPECT_THAT(info->frames[1].exits, SizeIs(1));
}

Out enter(GraphBuilder& b, Out x, const std::string& frame) {
  return b.op("Enter", {x}, {{"frame_name", frame}});
}

TEST(ControlFlow, s146_refuses_inputs_of_different_frames) {
  GraphBuilder b;
  Out x = b.constant(1.0f, "x");
  b.add(enter(b, x, "f"), x, "mixed");
  auto info = static_frames(*b.build());
  EXPECT_EQ(info.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(info.status().message()),
      HasSubstr(
          "{{node mixed}} has inputs from different frames. The input {{node Enter}} is in frame 'f'. The "
          "input {{node x}} is in frame ''."));
}

TEST(ControlFlow, s147_refuses_one_frame_inside_two_others) {
  GraphBuilder b;
  Out x = b.constant(1.0f);
  enter(b, enter(b, x, "f"), "h");
  enter(b, enter(b, x, "g"), "h");
  auto info = static_frames(*b.build());
  EXPECT_EQ(info.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(info.status().message()),
              HasSubstr("Invalid loop structure: Mismatched parent frames for \"h\""));
}

TEST(ControlFlow, refuses_enter_without_a_name_and_exit_without_enter) {
  GraphBuilder a, b;
  enter(a, a.constant(1.0f), "");
  EXPECT_THAT(std::string(static_frames(*a.build()).status().message()), HasSubstr("must have a frame name"));
  b.op("Exit", {b.constant(1.0f)});
  EXPECT_THAT(std::string(static_frames(*b.build()).status().message()),
              HasSubstr("Invalid Exit op: Cannot find a corresponding Enter op."));
}

}  // namespace
}  // namespace troupe
