// Quantisation simulated in floats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

TEST(FakeQuant, keeps_zero_exact) {
  auto out = run_kernel("FakeQuantWithMinMaxArgs", {Tensor::vector<float>({0, 10, -10})},
                        {{"min", -0.1f}, {"max", 0.9f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).flat<float>()[0], 0);
  EXPECT_NEAR(out->at(0).flat<float>()[1], 0.9f, 4e-3);
  EXPECT_NEAR(out->at(0).flat<float>()[2], -0.1f, 4e-3);
}

TEST(FakeQuant, rounds_by_the_steps_of_the_wanted_range_and_keeps_what_is_no_number) {
  // The range becomes 0 to 4 in 255 steps, and 2 lies between two of them.
  auto out = run_kernel("FakeQuantWithMinMaxArgs", {Tensor::vector<float>({2, 1, NAN})},
                        {{"min", 2.0f}, {"max", 6.0f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ(out->at(0).flat<float>()[0], 2.0078433f);
  EXPECT_FLOAT_EQ(out->at(0).flat<float>()[1], 1.0039216f);
  EXPECT_TRUE(std::isnan(out->at(0).flat<float>()[2]));
}

}  // namespace
}  // namespace troupe::test
