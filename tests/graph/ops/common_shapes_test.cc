#include "graph/ops/shapes/common_shapes.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"

namespace troupe::shapes {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::string result(const absl::StatusOr<PartialShape>& shape) {
  return shape.ok() ? shape->to_string() : std::string(shape.status().message());
}
std::string result(const absl::StatusOr<int64_t>& dim) {
  return dim.ok() ? std::to_string(*dim) : std::string(dim.status().message());
}

TEST(CommonShapes, merge_takes_what_either_knows) {
  EXPECT_EQ(result(merge({2, -1}, {-1, 3})), "[2,3]");
  EXPECT_EQ(result(merge(PartialShape(), {4})), "[4]");
  EXPECT_EQ(result(merge({4}, PartialShape())), "[4]");
}

TEST(CommonShapes, merge_says_which_dimension_differs) {
  EXPECT_EQ(result(merge({2, 3}, {2, 4})),
            "Dimension 1 in both shapes must be equal, but are 3 and 4. Shapes are [2,3] and [2,4].");
  EXPECT_EQ(result(merge({2}, {2, 4})), "Shapes must be equal rank, but are 1 and 2");
}

TEST(CommonShapes, ranks_are_checked) {
  EXPECT_EQ(result(with_rank({2, 3}, 3)), "Shape must be rank 3 but is rank 2");
  EXPECT_EQ(result(with_rank(PartialShape(), 2)), "[?,?]");
  EXPECT_EQ(check_rank_at_least({2}, 2).message(), "Shape must be at least rank 2 but is rank 1");
  EXPECT_EQ(check_rank_at_most({2, 3}, 1).message(), "Shape must be at most rank 1 but is rank 2");
}

TEST(CommonShapes, unknown_ranks_beyond_the_limit_stay_unknown) {
  EXPECT_FALSE(unknown_of_rank(kMax).known_rank());
  EXPECT_FALSE(unknown_of_rank(-1).known_rank());
}

TEST(CommonShapes, subshape_counts_from_the_end_and_cuts) {
  EXPECT_EQ(subshape({1, 2, 3}, -2).to_string(), "[2,3]");
  EXPECT_EQ(subshape({1, 2, 3}, 0, -1).to_string(), "[1,2]");
  EXPECT_EQ(subshape({1, 2, 3}, 5).to_string(), "[]");
  EXPECT_EQ(subshape({1, 2, 3}, 2, 1).to_string(), "[]");
  EXPECT_FALSE(subshape(PartialShape(), 1).known_rank());
}

TEST(CommonShapes, broadcast_follows_numpy) {
  EXPECT_EQ(result(broadcast({4, 1}, {3})), "[4,3]");
  EXPECT_EQ(result(broadcast({-1}, {1})), "[?]");
  EXPECT_EQ(result(broadcast({-1}, {5})), "[5]");
  EXPECT_EQ(result(broadcast({0}, {1})), "[0]");
  EXPECT_EQ(result(broadcast({2}, {3})), "Dimensions must be equal, but are 2 and 3");
}

TEST(CommonShapes, arithmetic_refuses_to_overflow) {
  EXPECT_EQ(result(add_dims(kMax, 1)), absl::StrCat("Dimension size overflow from adding ", kMax, " and 1"));
  EXPECT_THAT(result(multiply_dims(kMax, 2)), testing::HasSubstr("overflow when multiplying"));
  EXPECT_EQ(num_elements({kMax, kMax}), kUnknownDim);
  EXPECT_EQ(num_elements({kMax, kMax, 0}), 0);
}

TEST(CommonShapes, arithmetic_with_unknown_dimensions_is_unknown) {
  EXPECT_EQ(result(add_dims(-1, 2)), "-1");
  EXPECT_EQ(result(multiply_dims(-1, 0)), "0");
  EXPECT_EQ(result(multiply_dims(-1, 1)), "-1");
  EXPECT_EQ(result(divide_dim(-1, 2, true)), "-1");
}

TEST(CommonShapes, division_may_ask_for_no_rest) {
  EXPECT_EQ(result(divide_dim(7, 2, false)), "3");
  EXPECT_EQ(result(divide_dim(7, 2, true)), "Dimension size must be evenly divisible by 2 but is 7");
  EXPECT_EQ(result(divide_dim(7, 0, false)), "Divisor must be positive but is 0");
  EXPECT_EQ(result(subtract_dims(8, 9)), "Negative dimension size caused by subtracting 9 from 8");
}

TEST(CommonShapes, axes_count_from_the_end) {
  EXPECT_EQ(canonical_axis(-1, 3), 2);
  EXPECT_EQ(canonical_axis(3, 3), std::nullopt);
  EXPECT_EQ(canonical_axis(std::numeric_limits<int64_t>::min(), 3), std::nullopt);
}

}  // namespace
}  // namespace troupe::shapes
