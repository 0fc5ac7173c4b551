#include "graph/passes/rewrite_signature.h"

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"
#include "graph/ir/names.h"

namespace troupe {
namespace {

using ::testing::UnorderedElementsAre;

/// t1 = W1 * input:1, t2 = W2 * t1, t3_a = t3_b = Relu(t2); W1 and W2 are variables, input has two outputs.
class RewriteSignature : public testing::Test {
 protected:
  void SetUp() override {
    const AttrMap variable{{"dtype", DataType::kFloat}, {"shape", PartialShape{}}};
    Out w1 = b.op("VariableV2", {}, variable, "W1"), w2 = b.op("VariableV2", {}, variable, "W2");
    const std::vector<DataType> two{DataType::kFloat, DataType::kFloat};
    Out input = b.op("Unstage", {}, {{"dtypes", two}}, "input");
    Out t1 = b.op("Mul", {w1, input[1]}, {}, "t1");
    Out t2 = b.op("Mul", {w2, t1}, {}, "t2");
    b.op("Relu", {t2}, {}, "t3_a");
    b.op("Relu", {t2}, {}, "t3_b");
  }

  /// What is left of the graph, which `draft` is then.
  std::vector<std::string> nodes(const PlanSignature& signature) {
    Plan plan;
    auto rewritten = rewrite_signature(b.graph(), signature, nullptr, &plan);
    EXPECT_TRUE(rewritten.ok()) << rewritten.status();
    std::vector<std::string> names;
    if (!rewritten.ok()) return names;
    draft = *std::move(rewritten);
    for (int i = 0; i < draft.graph.num_ids(); ++i) names.push_back(draft.graph.node(i).name);
    return names;
  }
  /// "from:slot->to" of every data edge.
  std::vector<std::string> edges() const {
    std::vector<std::string> out;
    for (int i = 0; i < draft.graph.num_ids(); ++i) {
      for (Endpoint e : draft.graph.node(i).inputs)
        out.push_back(tensor_text(draft.graph.node(e.node).name, e.slot) + "->" + draft.graph.node(i).name);
    }
    return out;
  }
  DataType type_of(const std::string& node) const { return draft.graph.find(node)->output_types[0]; }

  GraphBuilder b;
  Draft draft;
};

/// Through the rendezvous; else as arguments and results.
constexpr bool kPartial = true;

TEST_F(RewriteSignature, s113_takes_what_one_target_needs) {
  EXPECT_THAT(nodes({{}, {}, {"t1"}}), UnorderedElementsAre("W1", "input", "t1"));
  EXPECT_THAT(edges(), UnorderedElementsAre("W1:0->t1", "input:1->t1"));
}

TEST_F(RewriteSignature, s114_takes_what_two_targets_need) {
  EXPECT_THAT(nodes({{}, {}, {"t2", "t3_a"}}), UnorderedElementsAre("W1", "W2", "input", "t1", "t2", "t3_a"));
}

TEST_F(RewriteSignature, s115_receives_an_output_that_is_fed) {
  EXPECT_THAT(nodes({{"input:1"}, {}, {"t2"}, kPartial}),
              UnorderedElementsAre("W1", "W2", "_recv_input_1", "t1", "t2"));
  EXPECT_THAT(edges(), UnorderedElementsAre("W1:0->t1", "_recv_input_1:0->t1", "W2:0->t2", "t1:0->t2"));
}

TEST_F(RewriteSignature, s116_takes_an_output_that_is_fed_for_an_argument) {
  EXPECT_THAT(nodes({{"input:1"}, {}, {"t2"}}),
              UnorderedElementsAre("W1", "W2", "_arg_input_1_0", "t1", "t2"));
  EXPECT_THAT(edges(), UnorderedElementsAre("W1:0->t1", "_arg_input_1_0:0->t1", "W2:0->t2", "t1:0->t2"));
}

TEST_F(RewriteSignature, s117_receives_a_value_where_a_reference_is_fed) {
  ASSERT_TRUE(is_ref(b.graph().find("W1")->output_types[0]));
  EXPECT_THAT(nodes({{"W1"}, {}, {"t1"}, kPartial}), UnorderedElementsAre("_recv_W1_0", "input", "t1"));
  EXPECT_EQ(type_of("_recv_W1_0"), DataType::kFloat);
}

TEST_F(RewriteSignature, s118_takes_a_value_for_the_argument_where_a_reference_is_fed) {
  EXPECT_THAT(nodes({{"W1"}, {}, {"t1"}}), UnorderedElementsAre("_arg_W1_0_0", "input", "t1"));
  EXPECT_EQ(type_of("_arg_W1_0_0"), DataType::kFloat);
}

TEST_F(RewriteSignature, s119_leaves_out_a_feed_that_other_feeds_make_needless) {
  EXPECT_THAT(nodes({{"input:1", "t1", "W2"}, {}, {"t2"}}),
              UnorderedElementsAre("_arg_t1_0_1", "_arg_W2_0_2", "t2"));
}

TEST_F(RewriteSignature, s120_sends_each_output_that_is_fetched) {
  EXPECT_THAT(nodes({{}, {"W2", "input:1", "t1", "t2"}, {"t2"}, kPartial}),
              UnorderedElementsAre("W1", "W2", "input", "t1", "t2", "_send_W2_0", "_send_input_1",
                                   "_send_t1_0", "_send_t2_0"));
}

TEST_F(RewriteSignature, s121_returns_each_output_that_is_fetched) {
  EXPECT_THAT(nodes({{}, {"W2", "input:1", "t1", "t2"}, {"t2"}}),
              UnorderedElementsAre("W1", "W2", "input", "t1", "t2", "_retval_W2_0_0", "_retval_input_1_1",
                                   "_retval_t1_0_2", "_retval_t2_0_3"));
}

TEST_F(RewriteSignature, s122_sends_what_is_fetched_beside_a_target) {
  EXPECT_THAT(nodes({{}, {"t3_a"}, {"t2"}, kPartial}),
              UnorderedElementsAre("W1", "W2", "input", "t1", "t2", "t3_a", "_send_t3_a_0"));
}

TEST_F(RewriteSignature, s123_returns_what_is_fetched_beside_a_target) {
  EXPECT_THAT(nodes({{}, {"t3_a"}, {"t2"}}),
              UnorderedElementsAre("W1", "W2", "input", "t1", "t2", "t3_a", "_retval_t3_a_0_0"));
}

TEST_F(RewriteSignature, s124_cuts_a_chain_in_two_where_it_is_fed) {
  Out last = b.op("Unstage", {}, {{"dtypes", std::vector<DataType>{DataType::kFloat}}}, "a");
  for (const char* name : {"b", "c", "d", "e", "f"}) last = b.op("Neg", {last}, {}, name);
  EXPECT_THAT(nodes({{"c"}, {"b", "e"}, {}, kPartial}),
              UnorderedElementsAre("a", "b", "_send_b_0", "_recv_c_0", "d", "e", "_send_e_0"));
  EXPECT_THAT(edges(),
              UnorderedElementsAre("a:0->b", "b:0->_send_b_0", "_recv_c_0:0->d", "d:0->e", "e:0->_send_e_0"));
}

}  // namespace
}  // namespace troupe
