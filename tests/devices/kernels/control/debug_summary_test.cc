// Summaries for debuggers. The numbers are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

constexpr float kInf = std::numeric_limits<float>::infinity();

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const Tensor& odd_values() {
  static const Tensor t = Tensor::vector<float>({-kInf, -2, 0, -0.0f, 3, kNan, kInf, 1.5f});
  return t;
}

TEST(NumericSummary, counts_and_measures) {
  auto out = run_kernel("DebugNumericSummary", {odd_values()});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::vector<double>({1, 8, 1, 1, 1, 2, 2, 1, -2, 3, .5, 2.8, 1, 1, 8})));
  out = run_kernel("DebugNumericSummary", {odd_values()}, {{"lower_bound", -1.0f}, {"upper_bound", 2.0f}});
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::vector<double>({1, 8, 1, 2, 0, 2, 1, 2, -2, 3, .5, 2.8, 1, 1, 8})));
  const double inf = kInf, nan = kNan;
  out = run_kernel("DebugNumericSummary", {Tensor(DataType::kFloat, Shape{0, 3})});
  EXPECT_TRUE(tensors_near(
      out->at(0), Tensor::vector<double>({1, 0, 0, 0, 0, 0, 0, 0, inf, -inf, nan, nan, 1, 2, 0, 3})));
}

TEST(NumericSummary, tells_what_each_mode_asks_for) {
  auto summary = [](const Tensor& in, int64_t mode, int64_t id = 17) {
    return run_kernel("DebugNumericSummaryV2", {in}, {{"tensor_debug_mode", mode}, {"tensor_id", id}});
  };
  auto values = [&](const Tensor& in, int64_t mode) { return summary(in, mode)->at(0); };
  EXPECT_THAT(values(odd_values(), 2).flat<float>(), ElementsAre(17, 1));
  EXPECT_THAT(values(odd_values(), 3).flat<float>(), ElementsAre(17, 8, 1, 1, 1));
  EXPECT_THAT(values(odd_values(), 4).flat<float>(), ElementsAre(17, -1, 1, 1, 8, 1, 1, 1, 1, 2, 2));
  EXPECT_THAT(values(zeros(DataType::kFloat, Shape{1, 2, 3, 4, 5, 6, 7, 2}), 5).flat<float>(),
              ElementsAre(17, 1, 8, 10080, 3, 4, 5, 6, 7, 2));
  EXPECT_THAT(values(Tensor::from<int32_t>({2, 2}, {1, -2, 0, 7}), 5).flat<float>(),
              ElementsAre(17, 3, 2, 4, 2, 2, 0, 0, 0, 0));
  EXPECT_TRUE(tensors_near(values(odd_values(), 8), Tensor::vector<float>({-kInf, kInf, kNan})));
  EXPECT_THAT(values(Tensor::vector<float>({1}), 8).flat<float>(), ElementsAre(0, 0, 0));
  EXPECT_EQ(summary(odd_values(), 7).status(),
            absl::UnimplementedError("Unimplemented tensor debug mode: 7"));
  EXPECT_THAT(message_of(summary(odd_values(), 2, int64_t{1} << 25)),
              HasSubstr("less than or equal to (2^24)"));
}

}  // namespace
}  // namespace troupe::test
