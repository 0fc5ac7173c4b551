// What looks wrong, and TensorFlow 2.21 takes all the same; and what a session keeps when something was refused.
#include <google/protobuf/text_format.h>

#include "proto/graph.pb.h"
#include "tests/actors/runs/runs_fixture.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor f(float value) { return Tensor::scalar<float>(value); }

class AcceptedRuns : public RunsTest {
 protected:
  int node(const std::string& name, const std::string& op, std::vector<Endpoint> inputs, AttrMap attrs = {}) {
    attrs.set("T", DataType::kFloat);
    return add(name, op, std::move(attrs), std::move(inputs));
  }
  int enter(const std::string& name, int value, int64_t parallel_iterations) {
    return node(name, "Enter", {{value, 0}},
                {{"frame_name", "loop"}, {"parallel_iterations", parallel_iterations}});
  }
  static float number(const absl::StatusOr<std::vector<Tensor>>& out) {
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() && !out->empty() ? (*out)[0].value<float>() : -1;
  }
};

TEST_F(AcceptedRuns, name_their_targets_as_tensors) {
  const int v = add("v", "VariableV2", {{"shape", Shape{}}, {"dtype", DataType::kFloat}});
  node("assign", "Assign", {{v, 0}, {constant("twenty", f(20)), 0}});
  for (const char* target : {"assign:0", "assign:7", "^assign"}) {
    Session& s = open();
    ASSERT_EQ(s.run({}, {}, {target}).status(), absl::OkStatus()) << target;
    EXPECT_EQ(number(s.run({}, {"v"})), 20) << target;
  }
  EXPECT_EQ(open().run({}, {}, {"assign:x"}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(AcceptedRuns, fetch_parts_of_loops_that_are_none) {
  const int c = constant("c", f(3));
  const int first = enter("first", c, 10), second = enter("second", c, 1);
  node("sum", "AddV2", {{first, 0}, {second, 0}});
  node("next", "NextIteration", {{c, 0}});
  add("cond", "LoopCond", {}, {{constant("pair", Tensor::vector<bool>({true, false})), 0}});
  Session& s = open();
  EXPECT_EQ(number(s.run({}, {"first"})), 3) << "nothing leaves the frame";
  EXPECT_EQ(number(s.run({}, {"sum"})), 6) << "two numbers of parallel iterations for one frame";
  EXPECT_EQ(number(s.run({}, {"next"})), 3) << "an iteration of no frame";
  auto cond = s.run({}, {"cond"});
  ASSERT_TRUE(cond.ok()) << cond.status();
  EXPECT_THAT((*cond)[0].flat<bool>(), ElementsAre(true, false));
}

/// Which of two live inputs a Merge takes is a race in TensorFlow, too.
TEST_F(AcceptedRuns, merge_two_values_into_one_of_them) {
  const int one = constant("one", f(1)), two = constant("two", f(2));
  node("merge", "Merge", {{one, 0}, {two, 0}}, {{"N", int64_t{2}}});
  auto out = open().run({}, {"merge:0", "merge:1"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), (*out)[1].value<int32_t>() == 0 ? 1 : 2);
}

TEST_F(AcceptedRuns, are_fed_another_shape_than_the_placeholder_says) {
  const int x = add("x", "Placeholder", {{"dtype", DataType::kFloat}, {"shape", Shape{2}}});
  node("y", "Neg", {{x, 0}});
  auto out = open().run({{"x", Tensor::vector<float>({1, 2, 3})}}, {"y"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(floats((*out)[0]), ElementsAre(-1, -2, -3));
}

TEST_F(AcceptedRuns, do_not_run_what_only_a_fed_node_waits_for) {
  const int v = add("v", "VariableV2", {{"shape", Shape{}}, {"dtype", DataType::kFloat}});
  const int one = constant("one", f(1));
  node("init", "Assign", {{v, 0}, {constant("zero", f(0)), 0}});
  const int count = node("count", "AssignAdd", {{v, 0}, {one, 0}});
  const int waits = add("waits", "Identity", {{"T", DataType::kFloat}}, {{one, 0}}, {count});
  node("y", "Neg", {{waits, 0}});
  Session& s = open();
  ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
  EXPECT_EQ(number(s.run({}, {"y"})), -1);
  EXPECT_EQ(number(s.run({}, {"v"})), 1);
  EXPECT_EQ(number(s.run({{"waits", f(5)}}, {"y"})), -5);
  EXPECT_EQ(number(s.run({}, {"v"})), 1);
}

/// Queues and tables go by their nodes' names then.
TEST_F(AcceptedRuns, share_the_one_variable_that_has_no_shared_name) {
  const AttrMap variable{{"dtype", DataType::kFloat}, {"shape", Shape{}}, {"shared_name", ""}},
      dtype{{"dtype", DataType::kFloat}};
  const int a = add("a", "VarHandleOp", variable), b = add("b", "VarHandleOp", variable);
  add("set", "AssignVariableOp", dtype, {{a, 0}, {constant("three", f(3)), 0}});
  add("read", "ReadVariableOp", dtype, {{b, 0}});
  Session& s = open();
  ASSERT_TRUE(s.run({}, {}, {"set"}).ok());
  EXPECT_EQ(number(s.run({}, {"read"})), 3);
}

TEST_F(AcceptedRuns, take_any_value_for_the_condition_of_an_if) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::tuple<std::string, Tensor, bool> kCases[] = {
      {"DT_FLOAT", f(nan), true},
      {"DT_FLOAT", f(0), false},
      {"DT_INT32", Tensor::scalar<int32_t>(-1), true},
      {"DT_STRING", Tensor::scalar<TString>(TString("no")), true},
      {"DT_STRING", Tensor::scalar<TString>(TString("")), false},
      {"DT_BOOL", Tensor::vector<bool>({false}), true},
      {"DT_FLOAT", Tensor(DataType::kFloat, Shape{0}), false},
  };
  const std::string leave =
      "library { function { signature { name: 'Alone' input_arg { name: 'x' type: DT_FLOAT }"
      " output_arg { name: 'y' type: DT_FLOAT } } ret { key: 'y' value: 'x' } } }\n";
  for (const auto& [type, condition, taken] : kCases) {
    for (const std::string& mark : {std::string(), kLowered}) {
      session_ = *Session::open(*runtime_);
      ASSERT_EQ(session_->create(with_functions(
                    leave + placeholder_text("p", type) + placeholder_text("x", "DT_FLOAT") +
                    call_text("call", "StatelessIf", {"p", "x"},
                              {{"then_branch", "Twice"}, {"else_branch", "Alone"}},
                              types_text("Tin", {"DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"}) +
                                  " attr { key: 'Tcond' value { type: " + type + " } }" + mark))),
                absl::OkStatus());
      EXPECT_EQ(number(session_->run({{"p", condition}, {"x", f(5)}}, {"call"})), taken ? 10 : 5)
          << type << " " << condition.to_string() << (mark.empty() ? "" : ", lowered");
    }
  }
}

TEST_F(AcceptedRuns, go_on_after_a_graph_that_was_refused) {
  auto graph = [](const std::string& text) {
    tensorflow::GraphDef def;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &def));
    return def;
  };
  const tensorflow::GraphDef bad = graph("node { name: 'bad' op: 'NoSuchOp' }"),
                             nothing = graph("node { name: 'nothing' op: 'NoOp' }"),
                             more = graph("node { name: 'more' op: 'NoOp' input: '^nothing' }");
  session_ = *Session::open(*runtime_);
  Session& s = *session_;
  EXPECT_EQ(s.create(bad).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(s.run({}, {}, {"bad"}).status(),
            absl::InvalidArgumentError("Session was not created with a graph before Run()!"));
  EXPECT_EQ(s.create(nothing), absl::OkStatus()) << "it has none yet";
  EXPECT_EQ(s.extend(bad).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(s.run({}, {}, {"nothing"}).status(), absl::OkStatus());
  EXPECT_THAT(text(s.run({}, {}, {"bad"}).status()), HasSubstr("Some target nodes not found: bad"));
  EXPECT_EQ(s.extend(more), absl::OkStatus());
  EXPECT_EQ(s.run({}, {}, {"more"}).status(), absl::OkStatus());
}

/// The numbers are TensorFlow 2.21's.
TEST_F(AcceptedRuns, draw_a_seeds_numbers_anew_in_each_session_and_go_on_within_it) {
  const int shape = constant("shape", Tensor::vector<int32_t>({3}));
  auto draw = [&](const char* name, int64_t seed, int64_t seed2) {
    add(name, "RandomUniform",
        {{"T", DataType::kInt32}, {"dtype", DataType::kFloat}, {"seed", seed}, {"seed2", seed2}},
        {{shape, 0}});
  };
  draw("seeded", 1, 2);
  draw("free", 0, 0);
  std::vector<float> free;
  for (int session = 0; session < 2; ++session) {
    Session& s = open();
    auto drawn = [&](const char* name) { return floats((*s.run({}, {name}))[0]); };
    using testing::FloatEq;
    EXPECT_THAT(drawn("seeded"),
                ElementsAre(FloatEq(0.40639675f), FloatEq(0.8575996f), FloatEq(0.05539584f)));
    EXPECT_THAT(drawn("seeded"),
                ElementsAre(FloatEq(0.16840732f), FloatEq(0.88910615f), FloatEq(0.53549695f)));
    const std::vector<float> before = std::exchange(free, drawn("free"));
    EXPECT_NE(free, before);
  }
}

}  // namespace
}  // namespace troupe::test
