// The largest and the smallest.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;

Tensor ramp(const Shape& shape, float step) {
  Tensor t(DataType::kFloat, shape);
  float next = 0;
  for (float& v : t.flat<float>()) v = step * next++;
  return t;
}

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

TEST(ApproxTopK, is_exact) {
  const Tensor in = Tensor::from<float>({2, 8}, {3, 1, 4, 1, 5, 9, 2, 6, 2, 7, 1, 8, 2, 8, 1, 8});
  auto out = run_kernel("ApproxTopK", {in}, {{"k", int64_t{3}}, {"recall_target", 0.5f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(9, 6, 5, 8, 8, 8));
  EXPECT_THAT(out->at(1).flat<int32_t>(), ElementsAre(5, 7, 4, 3, 5, 7));
}

TEST(ApproxTopK, finds_the_smallest_of_any_axis) {
  const Tensor in = Tensor::from<float>({2, 3, 2}, {3, 1, 4, 1, 5, 9, 2, 6, 2, 7, 1, 8});
  AttrMap attrs = {{"k", int64_t{2}}, {"reduction_dimension", int64_t{1}}, {"is_max_k", false}};
  auto smallest = run_kernel("ApproxTopK", {in}, attrs);
  ASSERT_TRUE(smallest.ok()) << smallest.status();
  EXPECT_EQ(smallest->at(0).shape(), (Shape{2, 2, 2}));
  EXPECT_THAT(smallest->at(0).flat<float>(), ElementsAre(3, 1, 4, 1, 1, 6, 2, 7));
  EXPECT_THAT(smallest->at(1).flat<int32_t>(), ElementsAre(0, 0, 1, 1, 2, 0, 0, 1));
  attrs.set("reduction_dimension", int64_t{-3});
  attrs.set("is_max_k", true);
  attrs.set("k", int64_t{1});
  attrs.set("aggregate_to_topk", false);
  auto largest = run_kernel("ApproxTopK", {in}, attrs);
  ASSERT_TRUE(largest.ok()) << largest.status();
  EXPECT_THAT(largest->at(0).flat<float>(), ElementsAre(3, 6, 4, 7, 5, 9));
  attrs.set("reduction_dimension", int64_t{3});
  EXPECT_EQ(message_of(run_kernel("ApproxTopK", {in}, attrs)),
            "Invalid reduction dimension: 3. Must be within the range of [-3, 2]");
}

TEST(TopK, puts_the_lower_index_of_equals_first) {
  auto out = run_kernel("TopKV2", {Tensor::vector<float>({1, 3, 3, 2}), Tensor::scalar<int32_t>(3)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(3, 3, 2));
  EXPECT_THAT(out->at(1).flat<int32_t>(), ElementsAre(1, 2, 3));
}

TEST(TopK, wants_indices_that_fit) {
  const AttrMap attrs = {{"index_type", DataType::kInt16}};
  EXPECT_EQ(run_kernel("TopKV2", {ramp({40000}, 1), Tensor::scalar<int32_t>(1)}, attrs).status(),
            absl::InvalidArgumentError("Second dimension of flattened input must be <= 32767, got 40000"));
}

Tensor zeros(const Shape& shape) { return ramp(shape, 0); }

std::string refusal(const std::string& op, const std::vector<Tensor>& inputs) {
  return message_of(run_kernel(op, inputs));
}

TEST(TopK, refuses_what_does_not_fit) {
  const Tensor x = zeros({2, 2}), one = Tensor::scalar<int32_t>(1);
  EXPECT_EQ(refusal("TopKV2", {x, Tensor::scalar<int32_t>(-1)}), "Need k >= 0, got -1");
  EXPECT_EQ(refusal("TopKV2", {x, Tensor::vector<int32_t>({1})}), "k must be scalar, got shape [1]");
  EXPECT_EQ(refusal("TopKV2", {x, Tensor::scalar<int32_t>(3)}),
            "input must have at least k columns. Had 2, needed 3");
  EXPECT_EQ(refusal("TopKV2", {zeros(Shape()), one}), "input must be >= 1-D, got shape []");
}

TEST(InTopK, compares_rows_with_targets) {
  const Tensor targets = Tensor::vector<int32_t>({2, 1}), one = Tensor::scalar<int32_t>(1);
  auto out = run_kernel("InTopKV2", {Tensor::from<float>({2, 3}, {.1f, .3f, .2f, .5f, .1f, .2f}), targets,
                                     Tensor::scalar<int32_t>(2)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<bool>(), ElementsAre(true, false));
  EXPECT_EQ(refusal("InTopKV2", {zeros({2, 2, 1}), targets, one}), "predictions must be 2-dimensional");
  EXPECT_EQ(refusal("InTopKV2", {zeros({2, 2}), Tensor::from<int32_t>({1, 2}, {0, 1}), one}),
            "targets must be 1-dimensional");
  EXPECT_EQ(refusal("InTopKV2", {zeros({3, 2}), targets, one}),
            "First dimension of predictions 3 must match length of targets 2");
  EXPECT_EQ(refusal("InTopKV2", {zeros({2, 2}), targets, Tensor::vector<int32_t>({1})}),
            "k must be 0-D, got shape [1]");
}

TEST(Bounds, are_where_values_would_go) {
  const Tensor sorted = Tensor::from<float>({1, 4}, {1, 2, 2, 3}),
               values = Tensor::from<float>({1, 2}, {2, 4});
  auto lower = run_kernel("LowerBound", {sorted, values});
  auto upper = run_kernel("UpperBound", {sorted, values});
  ASSERT_TRUE(lower.ok() && upper.ok()) << lower.status() << upper.status();
  EXPECT_THAT(lower->at(0).flat<int32_t>(), ElementsAre(1, 4));
  EXPECT_THAT(upper->at(0).flat<int32_t>(), ElementsAre(3, 4));
  EXPECT_EQ(refusal("LowerBound", {zeros({2}), zeros({1, 1})}),
            "Shape must be rank 2 but is rank 1 for `sorted_inputs` argument");
  EXPECT_EQ(refusal("UpperBound", {zeros({1, 2}), zeros({1})}),
            "Shape must be rank 2 but is rank 1 for `values` argument");
  EXPECT_EQ(refusal("LowerBound", {zeros({1, 2}), zeros({2, 1})}),
            "Leading dim_size of both tensors must match.");
}

}  // namespace
}  // namespace troupe::test
