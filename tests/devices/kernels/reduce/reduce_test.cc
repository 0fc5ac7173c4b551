// Reductions, scans and histograms.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Tensor kMatrix = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});

absl::StatusOr<std::vector<Tensor>> reduce(const char* op, const Tensor& x, std::vector<int32_t> axes,
                                           bool keep_dims = false) {
  const auto n = static_cast<int64_t>(axes.size());
  return run_kernel(op, {x, Tensor::from<int32_t>(Shape{n}, axes)}, {{"keep_dims", keep_dims}});
}

TEST(Reductions, fold_the_axes_given) {
  EXPECT_TRUE(tensors_near(reduce("Sum", kMatrix, {0})->at(0), Tensor::vector<float>({5, 7, 9})));
  EXPECT_TRUE(tensors_near(reduce("Sum", kMatrix, {-1})->at(0), Tensor::vector<float>({6, 15})));
  EXPECT_TRUE(tensors_near(reduce("Mean", kMatrix, {0, 1})->at(0), Tensor::scalar<float>(3.5f)));
  EXPECT_TRUE(tensors_near(reduce("Prod", kMatrix, {1}, true)->at(0), Tensor::from<float>({2, 1}, {6, 120})));
  EXPECT_TRUE(tensors_near(reduce("Max", kMatrix, {1})->at(0), Tensor::vector<float>({3, 6})));
  EXPECT_TRUE(tensors_near(reduce("Min", kMatrix, {0})->at(0), Tensor::vector<float>({1, 2, 3})));
  EXPECT_TRUE(tensors_near(reduce("EuclideanNorm", Tensor::vector<float>({3, 4}), {0})->at(0),
                           Tensor::scalar<float>(5)));
}

TEST(Reductions, of_nothing_are_what_adds_nothing) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor none(DataType::kFloat, Shape{0, 2});
  EXPECT_TRUE(tensors_near(reduce("Sum", none, {0})->at(0), Tensor::vector<float>({0, 0})));
  EXPECT_TRUE(tensors_near(reduce("Prod", none, {0})->at(0), Tensor::vector<float>({1, 1})));
  EXPECT_TRUE(tensors_near(reduce("Max", none, {0})->at(0), Tensor::vector<float>({-inf, -inf})));
  EXPECT_TRUE(tensors_near(reduce("Min", none, {0})->at(0), Tensor::vector<float>({inf, inf})));
}

/// TensorFlow 2.21's answers.
TEST(Reductions, of_integers_keep_their_type_and_its_range) {
  auto small = reduce("Mean", Tensor::vector<uint8_t>({200, 200, 200}), {0});
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ(small->at(0).value<uint8_t>(), 200);
  EXPECT_EQ(reduce("Mean", Tensor::vector<int32_t>({-3, -2, -2}), {0})->at(0).value<int32_t>(), -2);
  const Tensor none(DataType::kInt32, Shape{0, 2});
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
  EXPECT_THAT(reduce("Mean", none, {0})->at(0).flat<int32_t>(), ElementsAre(0, 0));
  EXPECT_THAT(reduce("Max", none, {0})->at(0).flat<int32_t>(), ElementsAre(kLeast, kLeast));
  EXPECT_THAT(reduce("Min", none, {0})->at(0).flat<int32_t>(), ElementsAre(kMost, kMost));
}

TEST(Reductions, of_not_a_number_are_none_unless_they_look_for_a_place) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor first = Tensor::vector<float>({nan, 2, 1}), second = Tensor::vector<float>({1, nan, 3});
  for (const char* op : {"Max", "Min"}) {
    EXPECT_TRUE(std::isnan(reduce(op, first, {0})->at(0).value<float>())) << op;
    EXPECT_TRUE(std::isnan(reduce(op, second, {0})->at(0).value<float>())) << op;
  }
  auto place = [](const char* op, const Tensor& x) {
    return run_kernel(op, {x, Tensor::scalar<int32_t>(0)}, {{"output_type", DataType::kInt64}})
        ->at(0)
        .value<int64_t>();
  };
  EXPECT_EQ(place("ArgMax", first), 1);
  EXPECT_EQ(place("ArgMin", first), 2);
  EXPECT_EQ(place("ArgMax", second), 2);
  EXPECT_EQ(place("ArgMin", second), 0);
  EXPECT_TRUE(std::isnan(reduce("Mean", Tensor(DataType::kFloat, Shape{0}), {0})->at(0).value<float>()));
}

TEST(Reductions, of_no_axis_change_nothing) {
  auto out = reduce("Sum", kMatrix, {});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(out->at(0).shares_buffer_with(kMatrix));
}

TEST(Reductions, refuse_axes_outside_and_twice) {
  for (const std::vector<int32_t>& axes : {std::vector<int32_t>{2}, {-3}, {0, 0}, {1, -1}}) {
    const auto out = reduce("Sum", kMatrix, axes);
    EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(out.status().message()), HasSubstr("Invalid reduction"));
  }
}

TEST(Logic, holds_for_all_or_any) {
  const Tensor x = Tensor::from<bool>({2, 2}, {true, true, true, false});
  EXPECT_THAT(reduce("All", x, {1})->at(0).flat<bool>(), ElementsAre(true, false));
  EXPECT_THAT(reduce("Any", x, {1})->at(0).flat<bool>(), ElementsAre(true, true));
}

TEST(ArgMax, takes_the_first_of_equals) {
  const Tensor x = Tensor::from<float>({2, 3}, {1, 7, 7, 2, 2, 0});
  auto most = run_kernel("ArgMax", {x, Tensor::scalar<int32_t>(1)}, {{"output_type", DataType::kInt64}});
  ASSERT_TRUE(most.ok()) << most.status();
  EXPECT_THAT(most->at(0).flat<int64_t>(), ElementsAre(1, 0));
  auto least = run_kernel("ArgMin", {x, Tensor::scalar<int32_t>(-1)}, {{"output_type", DataType::kInt32}});
  ASSERT_TRUE(least.ok()) << least.status();
  EXPECT_THAT(least->at(0).flat<int32_t>(), ElementsAre(0, 2));
}

TEST(ArgMax, of_long_rows_takes_the_first_of_equals_and_never_what_is_no_number) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto place = [](const Tensor& x) {
    return run_kernel("ArgMax", {x, Tensor::scalar<int32_t>(0)}, {{"output_type", DataType::kInt64}})
        ->at(0)
        .value<int64_t>();
  };
  for (const int64_t n : {15, 16, 1023, 1024, 1025, 5000}) {
    SCOPED_TRACE(n);
    Tensor x(DataType::kFloat, Shape{n});
    for (int64_t i = 0; i < n; ++i) x.flat<float>()[i] = static_cast<float>(i % 7);
    EXPECT_EQ(place(x), 6);
    for (const int64_t best : {int64_t{0}, n / 2, n - 1}) {
      x.flat<float>()[best] = 8;
      EXPECT_EQ(place(x), best);
      x.flat<float>()[std::max<int64_t>(best - 1, 0)] = nan;
      EXPECT_EQ(place(x), best == 0 ? 6 : best);
      for (int64_t i = 0; i < n; ++i) x.flat<float>()[i] = static_cast<float>(i % 7);
    }
    for (float& v : x.flat<float>()) v = nan;
    EXPECT_EQ(place(x), 0);
    x.flat<float>()[n - 1] = -1;
    EXPECT_EQ(place(x), n - 1);
    for (float& v : x.flat<float>()) v = -inf;
    EXPECT_EQ(place(x), 0);
  }
}

TEST(Logic, of_long_rows_sees_each_element) {
  for (const int64_t n : {1, 7, 1023, 1024, 1025, 40000}) {
    SCOPED_TRACE(n);
    Tensor x(DataType::kBool, Shape{1, n});
    const auto says = [&](const char* op) { return reduce(op, x, {1})->at(0).value<bool>(); };
    for (const int64_t odd : {int64_t{0}, n / 2, n - 1}) {
      for (bool& b : x.flat<bool>()) b = false;
      EXPECT_FALSE(says("Any"));
      x.flat<bool>()[odd] = true;
      EXPECT_TRUE(says("Any"));
      for (bool& b : x.flat<bool>()) b = true;
      EXPECT_TRUE(says("All"));
      x.flat<bool>()[odd] = false;
      EXPECT_FALSE(says("All"));
    }
  }
}

TEST(Scans, go_either_way_with_or_without_the_element) {
  const Tensor x = Tensor::vector<float>({1, 2, 3}), axis = Tensor::scalar<int32_t>(0);
  const auto scan = [&](const char* op, bool exclusive, bool reverse) {
    return run_kernel(op, {x, axis}, {{"exclusive", exclusive}, {"reverse", reverse}})->at(0);
  };
  EXPECT_TRUE(tensors_near(scan("Cumsum", false, false), Tensor::vector<float>({1, 3, 6})));
  EXPECT_TRUE(tensors_near(scan("Cumsum", true, false), Tensor::vector<float>({0, 1, 3})));
  EXPECT_TRUE(tensors_near(scan("Cumsum", false, true), Tensor::vector<float>({6, 5, 3})));
  EXPECT_TRUE(tensors_near(scan("Cumsum", true, true), Tensor::vector<float>({5, 3, 0})));
  EXPECT_TRUE(tensors_near(scan("Cumprod", true, false), Tensor::vector<float>({1, 1, 2})));
}

TEST(Scans, count_axes_from_the_end) {
  const Tensor x = Tensor::from<float>(Shape{2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  auto out = run_kernel("Cumsum", {x, Tensor::scalar<int32_t>(-2)}, {{"reverse", true}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0),
                           Tensor::from<float>(Shape{2, 3, 2}, {6, 9, 6, 8, 4, 5, 24, 27, 18, 20, 10, 11})));
}

TEST(OneAxis, is_a_scalar_within_the_rank) {
  const Tensor x(DataType::kFloat, Shape{2, 3, 2});
  const Tensor vector = Tensor::vector<int32_t>({1});
  EXPECT_EQ(run_kernel("Cumsum", {x, Tensor::scalar<int32_t>(3)}).status(),
            absl::InvalidArgumentError("ScanOp: Expected scan axis in the range [-3, 3), but got 3"));
  EXPECT_EQ(run_kernel("Cumsum", {x, vector}).status(),
            absl::InvalidArgumentError("ScanOp: axis must be a scalar, not [1]"));
  EXPECT_EQ(run_kernel("ArgMax", {x, Tensor::scalar<int32_t>(-4)}).status(),
            absl::InvalidArgumentError("Expected dimension in the range [-3, 3), but got -4"));
  EXPECT_EQ(run_kernel("ArgMax", {x, vector}).status(),
            absl::InvalidArgumentError("dim must be a scalar, but received tensor of shape: [1]"));
  EXPECT_EQ(
      run_kernel("ArgMin", {Tensor(DataType::kFloat, Shape{2, 0}), Tensor::scalar<int32_t>(-1)}).status(),
      absl::InvalidArgumentError("Reduction axis 1 is empty in shape [2,0]"));
}

TEST(Bincount, adds_weights_of_what_is_below_the_size) {
  const Tensor values = Tensor::vector<int32_t>({0, 2, 2, 9});
  auto out =
      run_kernel("Bincount", {values, Tensor::scalar<int32_t>(4), Tensor::vector<float>({0.5f, 1, 2, 4})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({0.5f, 0, 3, 0})));
}

TEST(HistogramFixedWidth, puts_what_lies_outside_into_the_last_bins) {
  auto out = run_kernel("HistogramFixedWidth", {Tensor::vector<float>({-1, 0, 1.5f, 2, 5, 15}),
                                                Tensor::vector<float>({0, 5}), Tensor::scalar<int32_t>(5)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int32_t>(), ElementsAre(2, 1, 1, 0, 2));
}

}  // namespace
}  // namespace troupe::test
