#include "graph/ops/shapes/rule.h"

#include <gmock/gmock.h>

#include "graph/ops/op_registry.h"

namespace troupe::shapes {
namespace {

/// Applies a rule to an op of two inputs, a list and an output.
class Rule : public testing::Test {
 protected:
  Rule() {
    auto op = parse_op_row(
        {"It", "x:float, y:float, rest:N * float", "a:float, b:float", "N:int; k:int; s:shape", ""});
    op_ = *std::move(op);
  }

  std::string apply(absl::string_view rule, const std::vector<PartialShape>& inputs) {
    AttrMap attrs{{"N", static_cast<int64_t>(inputs.size()) - 2}, {"k", k_}, {"s", s_}};
    std::vector<Known> known(inputs.size()), out(2);
    std::vector<const Known*> pointers;
    for (size_t i = 0; i < inputs.size(); ++i) {
      known[i].shape = inputs[i];
      pointers.push_back(&known[i]);
    }
    ShapeContext c(&op_, &attrs, pointers, out);
    absl::Status s = apply_rule(rule, c);
    return s.ok() ? out[0].shape.to_string() + " " + out[1].shape.to_string() : std::string(s.message());
  }

  OpDef op_;
  int64_t k_ = 5;
  PartialShape s_{7};
};

TEST_F(Rule, binds_names_over_inputs_and_outputs) {
  EXPECT_EQ(apply("[n,k] [k,m] -> [n,m] [k]", {{2, -1}, {3, 4}}), "[2,4] [3]");
  EXPECT_EQ(apply("[n,k] [k,m] -> [n,m]", {{2, 5}, {3, 4}}), "Dimensions must be equal, but are 5 and 3");
}

TEST_F(Rule, binds_shapes_and_groups) {
  EXPECT_EQ(apply("S S -> S", {{2, -1}, {-1, 3}}), "[2,3] <unknown>");
  EXPECT_EQ(apply("[B*,n] [B*] -> [n] [B*]", {{6, 7, 8}, {6, -1}}), "[8] [6,7]");
  EXPECT_EQ(apply("[B*,n] * -> [n] [B*]", {PartialShape(), {1}}), "[?] <unknown>");
}

TEST_F(Rule, checks_ranks_before_dimensions) {
  EXPECT_EQ(apply("[2] [] ->", {{3}, {1}}), "Shape must be rank 0 but is rank 1");
  EXPECT_EQ(apply("<=1 >=2 ->", {{3, 3}, {1}}), "Shape must be at most rank 1 but is rank 2");
  EXPECT_EQ(apply(">=2 * ->", {{3}, {1}}), "Shape must be at least rank 2 but is rank 1");
}

TEST_F(Rule, reads_numbers_and_attrs) {
  EXPECT_EQ(apply("[2] * -> [$k] $s", {{-1}, {}}), "[5] [7]");
  EXPECT_EQ(apply("[$k] * ->", {{6}, {}}), "Dimension must be 5 but is 6");
  k_ = -1;
  EXPECT_EQ(apply("[$k] * -> [$k]", {{6}, {}}), "[?] <unknown>");
}

TEST_F(Rule, holds_for_every_element_of_a_list) {
  EXPECT_EQ(apply("* * [n] -> [n]", {{1}, {1}, {4}, {-1}, {4}}), "[4] <unknown>");
  EXPECT_EQ(apply("* * [n] -> [n]", {{1}, {1}, {4}, {5}}), "Dimensions must be equal, but are 4 and 5");
}

TEST_F(Rule, that_is_malformed_is_an_internal_error) {
  EXPECT_THAT(apply("what", {{1}, {1}}), testing::HasSubstr("Malformed shape rule"));
  EXPECT_THAT(apply("* * * * ->", {{1}, {1}}), testing::HasSubstr("Malformed shape rule"));
}

}  // namespace
}  // namespace troupe::shapes
