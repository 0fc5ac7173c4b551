// Writes in place, distances, paddings, ranges, places.
#include <gmock/gmock.h>

#include <cstdint>
#include <limits>

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

/// As TensorFlow does it: the seventh step is at 0.69999999, not at 0.7.
TEST(Range, adds_its_step_each_time) {
  const float step = 0.1f;
  auto out = run_kernel("Range", {Tensor::scalar<float>(0), Tensor::scalar<float>(1), Tensor::scalar(step)});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->at(0).shape(), Shape{10});
  float next = 0;
  for (float v : out->at(0).flat<float>()) {
    EXPECT_EQ(v, next);
    next += step;
  }
  EXPECT_NE(out->at(0).flat<float>()[7], 7 * step);
}

TEST(Range, of_integers_goes_on_over_any_length_and_wraps) {
  const auto range = [](int32_t start, int32_t limit, int32_t delta) {
    return run_kernel("Range", {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)})->at(0);
  };
  for (const int32_t n : {1, 1023, 1024, 1025, 100'000}) {
    SCOPED_TRACE(n);
    const Tensor up = range(5, 5 + 3 * n, 3), down = range(-7, -7 - 2 * n, -2);
    ASSERT_EQ(up.num_elements(), n);
    ASSERT_EQ(down.num_elements(), n);
    for (int32_t i = 0; i < n; ++i) {
      ASSERT_EQ(up.flat<int32_t>()[i], 5 + 3 * i);
      ASSERT_EQ(down.flat<int32_t>()[i], -7 - 2 * i);
    }
  }
  EXPECT_THAT(range(INT32_MAX - 3, INT32_MAX, 2).flat<int32_t>(), ElementsAre(INT32_MAX - 3, INT32_MAX - 1));
}

TEST(OneHot, has_one_in_each_row_of_any_depth) {
  for (const int32_t depth : {1, 3, 255, 256, 5000}) {
    SCOPED_TRACE(depth);
    Tensor places(DataType::kInt32, Shape{50});
    for (int32_t i = 0; i < 50; ++i) places.flat<int32_t>()[i] = i * 7 % depth;
    const auto out = run_kernel(
        "OneHot", {places, Tensor::scalar(depth), Tensor::scalar<double>(2), Tensor::scalar<double>(-1)});
    ASSERT_TRUE(out.ok()) << out.status();
    for (int32_t i = 0; i < 50; ++i) {
      for (int32_t d = 0; d < depth; ++d)
        ASSERT_EQ(out->at(0).flat<double>()[i * depth + d], d == i * 7 % depth ? 2 : -1);
    }
  }
}

TEST(Unique, tells_numbers_of_every_size_apart) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto ids = [](const Tensor& x) {
    return run_kernel("Unique", {x}, {{"out_idx", DataType::kInt32}})->at(1);
  };
  EXPECT_THAT(ids(Tensor::vector<uint8_t>({200, 0, 200, 128, 0})).flat<int32_t>(),
              ElementsAre(0, 1, 0, 2, 1));
  EXPECT_THAT(ids(Tensor::vector<int16_t>({-1, 1, -1, INT16_MIN, INT16_MIN})).flat<int32_t>(),
              ElementsAre(0, 1, 0, 2, 2));
  EXPECT_THAT(ids(Tensor::vector<int64_t>({-1, INT64_MIN, -1, 0, INT64_MIN})).flat<int32_t>(),
              ElementsAre(0, 1, 0, 2, 1));
  EXPECT_THAT(ids(Tensor::vector<float>({0.0f, -0.0f, nan, nan, -1, 1})).flat<int32_t>(),
              ElementsAre(0, 0, 1, 2, 3, 4));
  EXPECT_THAT(
      ids(Tensor::vector<double>({-0.0, 0.0, std::numeric_limits<double>::infinity(), nan})).flat<int32_t>(),
      ElementsAre(0, 0, 1, 2));
}

TEST(OneHot, leaves_rows_off_whose_index_is_outside) {
  auto out = run_kernel("OneHot", {Tensor::vector<int32_t>({-1, 3, 1}), Tensor::scalar<int32_t>(3),
                                   Tensor::scalar<float>(5), Tensor::scalar<float>(0)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<float>(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 5, 0));
}

TEST(DynamicStitch, keeps_the_last_of_several_values_of_an_index) {
  auto v = [](std::initializer_list<int32_t> x) { return Tensor::vector<int32_t>(x); };
  auto out = run_kernel("DynamicStitch", {v({0, 1}), v({1, 2}), v({10, 20}), v({30, 40})},
                        {{"N", int64_t{2}}, {"T", DataType::kInt32}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int32_t>(), ElementsAre(10, 30, 40));
}

TEST(Where, refuses_a_scalar) {
  const absl::Status s = run_kernel("Where", {Tensor::scalar(true)}).status();
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), testing::HasSubstr("WhereOp : Unhandled input dimensions: 0"));
}

}  // namespace
}  // namespace troupe::test
