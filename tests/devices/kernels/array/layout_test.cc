// Data formats and unravelled indices.
#include <gtest/gtest.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

void expect_outputs(const absl::StatusOr<std::vector<Tensor>>& got, const std::vector<Tensor>& want) {
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(tensors_near(got->at(i), want[i], 1e-4)) << "output " << i;
}

TEST(DataFormat, translates_axes_and_vectors) {
  auto v = [](std::initializer_list<int32_t> x) { return Tensor::vector<int32_t>(x); };
  expect_outputs(run_kernel("DataFormatDimMap", {v({0, 1, 2, 3, -1, -2})}), {v({0, 2, 3, 1, 1, 3})});
  expect_outputs(run_kernel("DataFormatVecPermute", {v({1, 2, 3, 4})}), {v({1, 4, 2, 3})});
  expect_outputs(run_kernel("DataFormatVecPermute", {v({5, 6})}), {v({5, 6})});
}

TEST(UnravelIndex, refuses_indices_past_the_end) {
  auto v = [](std::initializer_list<int32_t> x) { return Tensor::vector<int32_t>(x); };
  expect_outputs(run_kernel("UnravelIndex", {v({22, 41, 37}), v({7, 6})}),
                 {Tensor::from<int32_t>(Shape{2, 3}, {3, 6, 6, 4, 5, 1})});
  EXPECT_EQ(run_kernel("UnravelIndex", {v({42}), v({7, 6})}).status(),
            absl::InvalidArgumentError("index is out of bound as with dims"));
}

}  // namespace
}  // namespace troupe::test
