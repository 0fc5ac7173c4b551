// Histograms for calibration.
#include <gmock/gmock.h>

#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(CustomAggregator, counts_in_bins_of_a_power_of_two) {
  const Tensor in = Tensor::vector<float>({-3.5f, -1, 0, 2, 7.25f, 7.25f});
  AttrMap attrs{{"id", "a"}, {"calibration_method", int64_t{1}}, {"num_bins", int64_t{4}}};
  auto out = run_kernel("CustomAggregator", {in}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), in, 0, 0));
  EXPECT_EQ(out->at(1).value<float>(), -3.5f);
  EXPECT_EQ(out->at(2).value<float>(), 7.25f);
  EXPECT_THAT(out->at(3).flat<int64_t>(), ElementsAre(2, 2, 2, 0));
  out = run_kernel("CustomAggregator", {Tensor::vector<float>({kInf, 1})}, attrs);
  EXPECT_THAT(out->at(3).flat<int64_t>(), ElementsAre(2, 0, 0, 0));
  out = run_kernel("CustomAggregator", {Tensor::vector<float>({})}, attrs);
  EXPECT_EQ(out->at(1).value<float>(), kInf);
  attrs.set("calibration_method", int64_t{0});
  out = run_kernel("CustomAggregator", {in}, attrs);
  EXPECT_EQ(out.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(message_of(out), "The calibration method must be specified.");
}

}  // namespace
}  // namespace troupe::test
