// Writes in place, distances, paddings.
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

TEST(InplaceUpdate, writes_to_the_memory_of_its_input) {
  const Tensor x = ramp({3, 2}, 1), rows = Tensor::vector<int32_t>({-1}), v = ramp({1, 2}, 9);
  auto out = run_kernel("InplaceUpdate", {x, rows, v});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(out->at(0).shares_buffer_with(x));
  EXPECT_THAT(x.flat<float>(), ElementsAre(0, 1, 2, 3, 0, 9));
  EXPECT_EQ(run_kernel("InplaceAdd",
                       {Tensor(DataType::kBool, Shape{1, 1}), rows, Tensor(DataType::kBool, Shape{1, 1})})
                .status(),
            absl::InvalidArgumentError("Unsupported data type: bool"));
}

TEST(EditDistance, writes_within_its_result) {
  const auto distance = [](std::vector<int64_t> index, int64_t size) {
    const Tensor at = Tensor::from<int64_t>(Shape{1, 3}, index),
                 zero = Tensor::from<int64_t>(Shape{1, 3}, {0, 0, 0});
    const Tensor one = Tensor::vector<int64_t>({1}), ones = Tensor::vector<int64_t>({1, 1, 1});
    return run_kernel("EditDistance", {at, one, Tensor::vector<int64_t>({size, 1, 1}), zero, one, ones})
        .status();
  };
  EXPECT_EQ(distance({0, 0, 0}, 1), absl::OkStatus());
  EXPECT_EQ(
      distance({0, -7, 0}, 1),
      absl::InternalError("Got an inner product -7 which would require writing to outside of the buffer for "
                          "the output tensor (max elements 1)"));
  EXPECT_EQ(distance({0, 0, 0}, -2), absl::InvalidArgumentError("Dimension -2 must be >= 0"));
}

TEST(Pad, sums_of_paddings_wrap_around) {
  const auto pad = [](int64_t before, int64_t after) {
    return run_kernel("Pad", {ramp({2}, 1), Tensor::from<int64_t>(Shape{1, 2}, {before, after})});
  };
  auto empty = pad(INT64_MAX, INT64_MAX);
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->at(0).shape(), Shape{0});
  EXPECT_FALSE(pad(INT64_MAX, INT64_MAX - 1).ok());
  EXPECT_FALSE(pad(INT64_MAX, 0).ok());
}

}  // namespace
}  // namespace troupe::test
